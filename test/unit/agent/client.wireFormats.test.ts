import { sendMessage } from '../../../src/agent/client';
import { askStreaming } from '../../../src/assistant/client';
import { someOf, upTo } from '../../support/cases';
import { inMemory, split, bytes, type Answer } from '../inMemoryHttp';

// The forms in which other services of this kind answer: none of them is specified here, and each may come.

const R = 'Hello world';
const ask = async (answer: Answer) =>
	await sendMessage(inMemory(answer), { sessionId: 's', content: 'the question' });

const whole: Array<[name: string, body: string, text: string]> = [
	[
		'openai chat',
		'{"id":"x","object":"chat.completion","choices":[{"index":0,"message":{"role":"assistant","content":"Hello world"},"finish_reason":"stop"}],"usage":{}}',
		R,
	],
	[
		'openai n=2',
		'{"choices":[{"message":{"content":"Hello world"}},{"message":{"content":"other"}}]}',
		R,
	],
	[
		'openai responses',
		'{"id":"resp","object":"response","status":"completed","output":[{"type":"reasoning","summary":[{"type":"summary_text","text":"hm"}]},{"type":"message","role":"assistant","content":[{"type":"output_text","text":"Hello world"}]}]}',
		R,
	],
	[
		'anthropic',
		'{"id":"msg","type":"message","role":"assistant","content":[{"type":"thinking","thinking":"hm"},{"type":"text","text":"Hello world"}],"stop_reason":"end_turn"}',
		R,
	],
	[
		'anthropic tool use',
		'{"type":"message","role":"assistant","content":[{"type":"text","text":"Hello world"},{"type":"tool_use","id":"t","name":"x","input":{"text":"no"}}]}',
		R,
	],
	[
		'gemini',
		'{"candidates":[{"content":{"parts":[{"text":"Hello "},{"text":"world"}],"role":"model"},"finishReason":"STOP"}],"usageMetadata":{}}',
		R,
	],
	[
		'gemini list stream',
		'[{"candidates":[{"content":{"parts":[{"text":"Hello "}]}}]},{"candidates":[{"content":{"parts":[{"text":"world"}]}}]}]',
		R,
	],
	[
		'gemini thoughts',
		'{"candidates":[{"content":{"parts":[{"text":"hm","thought":true},{"text":"Hello world"}]}}]}',
		R,
	],
	['hf', '[{"generated_text":"Hello world"}]', R],
	[
		'cohere v1',
		'{"text":"Hello world","generation_id":"g","chat_history":[{"role":"USER","message":"q"},{"role":"CHATBOT","message":"Hello world"}]}',
		R,
	],
	[
		'cohere v2',
		'{"id":"x","message":{"role":"assistant","content":[{"type":"text","text":"Hello world"}]},"finish_reason":"COMPLETE"}',
		R,
	],
	[
		'dify blocking',
		'{"event":"message","task_id":"t","id":"i","message_id":"m","conversation_id":"c","mode":"chat","answer":"Hello world","metadata":{},"created_at":1}',
		R,
	],
	[
		'langflow',
		'{"session_id":"s","outputs":[{"inputs":{},"outputs":[{"results":{"message":{"text":"Hello world","sender":"Machine"}}}]}]}',
		R,
	],
	[
		'flowise',
		'{"text":"Hello world","question":"q","chatId":"c","chatMessageId":"m","sessionId":"s"}',
		R,
	],
	[
		'langchain messages',
		'{"messages":[{"type":"human","content":"q"},{"type":"ai","content":"Hello world"}]}',
		R,
	],
	['rasa', '[{"recipient_id":"u","text":"Hello "},{"recipient_id":"u","text":"world"}]', R],
	[
		'dialogflow',
		'{"responseId":"r","queryResult":{"queryText":"q","fulfillmentText":"Hello world","fulfillmentMessages":[{"text":{"text":["Hello world"]}}]}}',
		R,
	],
	[
		'botpress',
		'{"responses":[{"type":"typing","value":true},{"type":"text","text":"Hello world"}]}',
		R,
	],
	[
		'bot framework',
		'{"type":"message","from":{"id":"bot","role":"bot"},"text":"Hello world","inputHint":"x"}',
		R,
	],
	['openai agents sdk', '{"final_output":"Hello world","new_items":[]}', R],
	[
		'bedrock',
		'{"output":{"message":{"role":"assistant","content":[{"text":"Hello world"}]}},"stopReason":"end_turn"}',
		R,
	],
	['titan', '{"results":[{"outputText":"Hello world","completionReason":"FINISH"}]}', R],
	[
		'azure agent',
		'{"data":[{"role":"assistant","content":[{"type":"text","text":{"value":"Hello world","annotations":[]}}]}]}',
		R,
	],
	[
		'mcp result',
		'{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"Hello world"}],"isError":false}}',
		R,
	],
	[
		'graphql',
		'{"data":{"sendMessage":{"id":"1","content":"Hello world","__typename":"Message"}}}',
		R,
	],
	['json api', '{"data":{"type":"messages","id":"1","attributes":{"content":"Hello world"}}}', R],
	['hal', '{"_embedded":{"messages":[{"content":"Hello world"}]}}', R],
	[
		'spring',
		'{"timestamp":"2024-01-01T00:00:00Z","status":200,"message":"Hello world","path":"/x"}',
		R,
	],
	['capital names', '{"Answer":"Hello world"}', R],
	['camel', '{"botResponse":"Hello world"}', R],
	['snake', '{"agent_reply":"Hello world"}', R],
	['success false text', '{"success":true,"code":200,"msg":"success","data":"Hello world"}', R],
	['data string', '{"data":"Hello world"}', R],
	['chinese', '{"code":0,"msg":"ok","data":{"content":"Hello world"}}', R],
	['answer with sources', '{"answer":"Hello world","sources":[{"title":"a","content":"src"}]}', R],
	['message with sources', '{"message":"Hello world","data":[{"text":"src"}]}', R],
	['result ok', '{"result":"ok","text":"Hello world"}', R],
	['nested result string', '{"result":"Hello world","status":"completed"}', R],
	['question echoed', '{"message":"the question","reply":"Hello world"}', R],
	[
		'history',
		'{"history":[{"role":"user","content":"q"},{"role":"assistant","content":"Hello world"}]}',
		R,
	],
	[
		'conversation',
		'{"conversation":{"id":"c","messages":[{"role":"user","content":"q"},{"role":"assistant","content":"Hello world"}]}}',
		R,
	],
	['number answer', '{"answer":42}', '42'],
	['error null', '{"answer":"Hello world","error":null,"errors":[]}', R],
	['markdown field', '{"markdown":"Hello world"}', R],
	['report', '{"report":"Hello world"}', R],
	['speech', '{"speech":"Hello world"}', R],
];

const streams: Array<[name: string, body: string, text: string, type?: string]> = [
	[
		'ollama',
		'{"model":"m","message":{"role":"assistant","content":"Hello "},"done":false}\n{"message":{"role":"assistant","content":"world"},"done":false}\n{"message":{"role":"assistant","content":""},"done":true,"total_duration":5}\n',
		R,
		'application/x-ndjson',
	],
	[
		'ollama generate',
		'{"response":"Hello ","done":false}\n{"response":"world","done":false}\n{"response":"","done":true,"context":[1,2]}\n',
		R,
		'application/x-ndjson',
	],
	[
		'hf tgi',
		'data: {"index":1,"token":{"id":1,"text":"Hello ","logprob":-1},"generated_text":null}\n\ndata: {"token":{"id":2,"text":"world"},"generated_text":"Hello world"}\n\n',
		R,
	],
	[
		'cohere stream',
		'{"is_finished":false,"event_type":"stream-start","generation_id":"x"}\n{"is_finished":false,"event_type":"text-generation","text":"Hello "}\n{"is_finished":false,"event_type":"text-generation","text":"world"}\n{"is_finished":true,"event_type":"stream-end","finish_reason":"COMPLETE","response":{"text":"Hello world"}}\n',
		R,
		'application/x-ndjson',
	],
	[
		'dify stream',
		'data: {"event":"message","task_id":"t","id":"i","answer":"Hello ","created_at":1}\n\ndata: {"event":"message","answer":"world"}\n\ndata: {"event":"message_end","id":"i","metadata":{"usage":{}}}\n\n',
		R,
	],
	[
		'dify agent stream',
		'data: {"event":"agent_thought","thought":"hm","observation":"","tool":""}\n\ndata: {"event":"agent_message","answer":"Hello "}\n\ndata: {"event":"agent_message","answer":"world"}\n\ndata: {"event":"message_end"}\n\n',
		R,
	],
	[
		'dify workflow',
		'data: {"event":"workflow_started","data":{"id":"w"}}\n\ndata: {"event":"node_started","data":{"title":"LLM","index":1}}\n\ndata: {"event":"text_chunk","data":{"text":"Hello "}}\n\ndata: {"event":"text_chunk","data":{"text":"world"}}\n\ndata: {"event":"node_finished","data":{"title":"LLM","outputs":{"text":"Hello world"}}}\n\ndata: {"event":"workflow_finished","data":{"outputs":{"text":"Hello world"}}}\n\n',
		R,
	],
	[
		'langserve json strings',
		'event: metadata\ndata: {"run_id":"x"}\n\nevent: data\ndata: "Hello "\n\nevent: data\ndata: "world"\n\nevent: end\ndata: \n\n',
		R,
	],
	[
		'langgraph messages',
		'event: metadata\ndata: {"run_id":"x"}\n\nevent: messages/partial\ndata: [{"type":"AIMessageChunk","content":"Hello","id":"1"}]\n\nevent: messages/partial\ndata: [{"type":"AIMessageChunk","content":"Hello world","id":"1"}]\n\nevent: messages/complete\ndata: [{"type":"ai","content":"Hello world","id":"1"}]\n\nevent: end\ndata: null\n\n',
		R,
	],
	[
		'langgraph values',
		'event: values\ndata: {"messages":[{"type":"human","content":"q"},{"type":"ai","content":"Hello world"}]}\n\nevent: end\ndata: null\n\n',
		R,
	],
	[
		'vercel ui stream v5',
		'data: {"type":"start","messageId":"m"}\n\ndata: {"type":"start-step"}\n\ndata: {"type":"text-start","id":"1"}\n\ndata: {"type":"text-delta","id":"1","delta":"Hello "}\n\ndata: {"type":"text-delta","id":"1","delta":"world"}\n\ndata: {"type":"text-end","id":"1"}\n\ndata: {"type":"finish-step"}\n\ndata: {"type":"finish"}\n\ndata: [DONE]\n\n',
		R,
	],
	[
		'ag-ui',
		'data: {"type":"RUN_STARTED","threadId":"t"}\n\ndata: {"type":"TEXT_MESSAGE_START","messageId":"m","role":"assistant"}\n\ndata: {"type":"TEXT_MESSAGE_CONTENT","messageId":"m","delta":"Hello "}\n\ndata: {"type":"TEXT_MESSAGE_CONTENT","messageId":"m","delta":"world"}\n\ndata: {"type":"TEXT_MESSAGE_END","messageId":"m"}\n\ndata: {"type":"RUN_FINISHED"}\n\n',
		R,
	],
	[
		'assistants api',
		'event: thread.run.created\ndata: {"id":"r","object":"thread.run","status":"queued","instructions":"be nice"}\n\nevent: thread.message.delta\ndata: {"id":"m","object":"thread.message.delta","delta":{"content":[{"index":0,"type":"text","text":{"value":"Hello "}}]}}\n\nevent: thread.message.delta\ndata: {"delta":{"content":[{"type":"text","text":{"value":"world"}}]}}\n\nevent: thread.message.completed\ndata: {"role":"assistant","content":[{"type":"text","text":{"value":"Hello world"}}]}\n\nevent: thread.run.completed\ndata: {"status":"completed"}\n\nevent: done\ndata: [DONE]\n\n',
		R,
	],
	[
		'bedrock stream',
		'data: {"messageStart":{"role":"assistant"}}\n\ndata: {"contentBlockDelta":{"delta":{"text":"Hello "},"contentBlockIndex":0}}\n\ndata: {"contentBlockDelta":{"delta":{"text":"world"}}}\n\ndata: {"contentBlockStop":{}}\n\ndata: {"messageStop":{"stopReason":"end_turn"}}\n\n',
		R,
	],
	[
		'a2a stream',
		'data: {"jsonrpc":"2.0","id":1,"result":{"kind":"task","id":"t","status":{"state":"submitted"}}}\n\ndata: {"jsonrpc":"2.0","result":{"kind":"status-update","status":{"state":"working","message":{"role":"agent","parts":[{"kind":"text","text":"looking"}]}}}}\n\ndata: {"jsonrpc":"2.0","result":{"kind":"artifact-update","artifact":{"parts":[{"kind":"text","text":"Hello "}]}}}\n\ndata: {"jsonrpc":"2.0","result":{"kind":"artifact-update","artifact":{"parts":[{"kind":"text","text":"world"}]},"append":true,"lastChunk":true}}\n\ndata: {"jsonrpc":"2.0","result":{"kind":"status-update","status":{"state":"completed"},"final":true}}\n\n',
		R,
	],
	[
		'word tokens',
		'data: {"token":"Hello "}\n\ndata: {"token":"world"}\n\ndata: {"done":true}\n\n',
		R,
	],
	[
		'char tokens',
		'data: {"t":"H"}\n\ndata: {"t":"e"}\n\ndata: {"t":"l"}\n\ndata: {"t":"l"}\n\ndata: {"t":"o"}\n\ndata: {"t":" "}\n\ndata: {"t":"w"}\n\ndata: {"t":"o"}\n\ndata: {"t":"r"}\n\ndata: {"t":"l"}\n\ndata: {"t":"d"}\n\n',
		R,
	],
	[
		'snapshots',
		'data: {"text":"Hello"}\n\ndata: {"text":"Hello wor"}\n\ndata: {"text":"Hello world"}\n\n',
		R,
	],
	[
		'delta+text',
		'data: {"delta":"Hello ","text":"Hello "}\n\ndata: {"delta":"world","text":"Hello world"}\n\n',
		R,
	],
	[
		'cumulative content, delta empty end',
		'data: {"content":"Hello "}\n\ndata: {"content":"Hello world"}\n\ndata: {"content":""}\n\n',
		R,
	],
	[
		'final whole',
		'event: delta\ndata: {"text":"Hello "}\n\nevent: delta\ndata: {"text":"world"}\n\nevent: final\ndata: {"text":"Hello world"}\n\n',
		R,
	],
	[
		'final last piece',
		'event: delta\ndata: {"text":"Hello "}\n\nevent: final\ndata: {"text":"world"}\n\n',
		R,
	],
	[
		'complete then done',
		'event: message\ndata: {"text":"Hello world"}\n\nevent: complete\ndata: {"status":"ok"}\n\nevent: done\ndata: {}\n\n',
		R,
	],
	[
		'role chunk first',
		'data: {"role":"assistant"}\n\ndata: {"content":"Hello "}\n\ndata: {"content":"world"}\n\ndata: [DONE]\n\n',
		R,
	],
	[
		'user echo first',
		'data: {"role":"user","content":"q"}\n\ndata: {"role":"assistant","content":"Hello world"}\n\n',
		R,
	],
	[
		'tool then text',
		'data: {"type":"tool_call","name":"x","arguments":{"text":"no"}}\n\ndata: {"type":"tool_result","output":"no"}\n\ndata: {"type":"text","text":"Hello world"}\n\n',
		R,
	],
	[
		'step progress',
		'data: {"type":"step","text":"Searching"}\n\ndata: {"type":"progress","message":"50%"}\n\ndata: {"type":"answer","text":"Hello world"}\n\n',
		R,
	],
	[
		'log events',
		'data: {"type":"log","message":"x"}\n\ndata: {"type":"dialog","text":"Hello "}\n\ndata: {"type":"dialog","text":"world"}\n\n',
		R,
	],
	[
		'type only',
		'data: {"type":"start"}\n\ndata: {"type":"message","message":{"content":"Hello world"}}\n\ndata: {"type":"stop"}\n\n',
		R,
	],
	[
		'content_block',
		'event: message_start\ndata: {"type":"message_start","message":{"id":"m","role":"assistant","content":[]}}\n\nevent: content_block_start\ndata: {"index":0,"content_block":{"type":"text","text":""}}\n\nevent: ping\ndata: {"type":"ping"}\n\nevent: content_block_delta\ndata: {"delta":{"type":"text_delta","text":"Hello "}}\n\nevent: content_block_delta\ndata: {"delta":{"type":"text_delta","text":"world"}}\n\nevent: content_block_stop\ndata: {"index":0}\n\nevent: message_delta\ndata: {"delta":{"stop_reason":"end_turn"},"usage":{"output_tokens":3}}\n\nevent: message_stop\ndata: {}\n\n',
		R,
	],
	[
		'thinking block',
		'event: content_block_start\ndata: {"content_block":{"type":"thinking","thinking":""}}\n\nevent: content_block_delta\ndata: {"delta":{"type":"thinking_delta","thinking":"hm"}}\n\nevent: content_block_delta\ndata: {"delta":{"type":"text_delta","text":"Hello world"}}\n\nevent: message_stop\ndata: {}\n\n',
		R,
	],
	[
		'reasoning_content',
		'data: {"choices":[{"delta":{"reasoning_content":"hm"}}]}\n\ndata: {"choices":[{"delta":{"content":"Hello world"}}]}\n\ndata: [DONE]\n\n',
		R,
	],
	[
		'responses full',
		'event: response.created\ndata: {"type":"response.created","response":{"output":[]}}\n\nevent: response.output_item.added\ndata: {"type":"response.output_item.added","item":{"type":"message","content":[]}}\n\nevent: response.content_part.added\ndata: {"part":{"type":"output_text","text":""}}\n\nevent: response.output_text.delta\ndata: {"delta":"Hello "}\n\nevent: response.output_text.delta\ndata: {"delta":"world"}\n\nevent: response.output_text.done\ndata: {"text":"Hello world"}\n\nevent: response.content_part.done\ndata: {"part":{"type":"output_text","text":"Hello world"}}\n\nevent: response.output_item.done\ndata: {"item":{"type":"message","content":[{"type":"output_text","text":"Hello world"}]}}\n\nevent: response.completed\ndata: {"response":{"output":[{"type":"message","content":[{"type":"output_text","text":"Hello world"}]}]}}\n\n',
		R,
	],
	[
		'responses fn call done',
		'event: response.output_text.delta\ndata: {"delta":"Hello world"}\n\nevent: response.output_item.done\ndata: {"item":{"type":"function_call","name":"f","arguments":"{\\"text\\":\\"no\\"}"}}\n\nevent: response.completed\ndata: {"response":{}}\n\n',
		R,
	],
	[
		'two messages',
		'data: {"type":"message","content":"Hello "}\n\ndata: {"type":"message_end"}\n\ndata: {"type":"message","content":"world"}\n\ndata: {"type":"message_end"}\n\n',
		R,
	],
];

const answerOf = (type: string, ...chunks: Array<string | Uint8Array>): Answer => ({
	headers: { 'content-type': type },
	chunks,
});

describe.each(['application/json', 'text/plain', 'text/html', 'text/event-stream', ''])(
	'as %s',
	(type) => {
		it.each(whole)('%s', async (_name, body, text) => {
			expect(await ask(answerOf(type, body))).toMatchObject({
				text,
				format: expect.stringMatching(/json/),
			});
		});
	},
);

it.each(streams)('%s', async (_name, body, text, type = 'text/event-stream') => {
	expect(await ask(answerOf(type, body))).toMatchObject({ text });
});

it.each(streams)('%s, byte by byte, as a web page', async (_name, body, text) => {
	const stream = bytes(body);
	expect(await ask(answerOf('text/html', ...split(stream, [...stream.keys()])))).toMatchObject({
		text,
	});
});

it.each(whole)('the assistant may answer with %s, too', async (_name, body, text) => {
	const answer = await askStreaming(inMemory(answerOf('application/json', body)), { message: 'q' });
	expect(answer).toMatchObject({ text, body: expect.anything() });
});

it.each([...streams, ...whole])(
	'%s, cut anywhere, is never more than a part of it',
	async (_name, body, text, type = 'text/event-stream') => {
		for (const length of someOf(upTo(body.length), 11, body.length)) {
			const answer = answerOf(type, body.slice(0, length));
			const result = await ask(answer).catch((error: unknown) => error);
			const said = result as { text?: string; details?: { partial?: { text?: string } } };
			const came = said.text ?? said.details?.partial?.text ?? '';
			expect({ length, came }).toEqual({ length, came: text.slice(0, came.length) });
		}
	},
);
