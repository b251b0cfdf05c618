import { timeMark } from './timeMark.ts';

/** Models of the lean service: what is asked of it stands in the model's name. */
export const models = {
	/** As asked: a stream or one object, of the same size. */
	short: 'bench/short',
	/** One object, even if a stream was asked for. */
	whole: 'bench/whole',
	/** As `short`, 50 ms later. */
	late: 'bench/late',
	/** As `short`, 500 ms later. */
	slow: 'bench/slow',
	/** A long stream, as fast as it goes. */
	long: 'bench/long',
	/** A stream of 200 pieces, one every 10 ms, each with the time at which it was written. */
	paced: 'bench/paced',
	/** A stream of 100 pieces, one every 20 ms, as a model speaks; each with the time at which it was written. */
	words: 'bench/words',
	/** Calls one of its tools after the other, until all turns are done. */
	talk: 'bench/talk',
} as const;

/** Turns of a conversation, and characters of what is said in each. */
export const [turnCount, turnSize] = [50, 100];

/** The workspace whose agent answers at once, in a text of its own each time: n8n stores equal texts only once. */
export const talkWorkspace = 'talk';

/** Bytes of every short answer, whatever its form. */
export const answerSize = 400;

/** Milliseconds before these models answer. */
export const latencies = { late: 50, slow: 500 } as const;

/** Pieces of the answer of the model `paced`, and milliseconds between them. */
export const [pacedPieces, pace] = [200, 10];

/** Pieces of the answer of the model `words`, and milliseconds between them. */
export const [words, wordPace] = [100, 20];

/** Bytes of one event of the long answer with its blank line, and characters of text in it. */
export const [eventSize, deltaSize] = [244, 40];

type Answer =
	| { latency: number; type: string; body: Buffer }
	/** A whole response as it goes over the wire. */
	| { latency: number; wire: Buffer }
	/** Pieces of a stream, one every so many milliseconds, each made when it is sent. */
	| { latency: number; type: string; pieces: Array<() => string>; every: number }
	/** A file of so many bytes. */
	| { latency: number; type: string; file: number };

/** Gives the answer to a request of this path and body. */
export type Answers = (path: string, body: string) => Answer;

const [json, stream] = ['application/json', 'text/event-stream'];

/** @param deltas how many events with text the long answer has */
export function answersOf(deltas: number): Answers {
	const whole = padded((text) =>
		JSON.stringify({
			id: 'c-1',
			object: 'chat.completion',
			model: models.short,
			choices: [{ index: 0, message: { role: 'assistant', content: text }, finish_reason: 'stop' }],
			usage: { prompt_tokens: 10, completion_tokens: 20, total_tokens: 30 },
		}),
	);
	const streamed = padded((text) => chunk(text, 'stop') + usage + end);
	const response = padded((text) =>
		JSON.stringify({
			id: 'r-1',
			object: 'response',
			status: 'completed',
			output: [{ type: 'message', role: 'assistant', content: [{ type: 'output_text', text }] }],
			usage: { input_tokens: 10, output_tokens: 20, total_tokens: 30 },
		}),
	);
	const model = padded((text) => JSON.stringify({ id: models.short, type: 'text', name: text }));
	const long = longAnswer(deltas);

	return (path, body) => {
		if (path.endsWith('/models')) return { latency: 0, type: json, body: catalog };
		const file = path.match(/\/jobs\/file-(\d+)\/content$/)?.[1];
		if (file) return { latency: 0, type: 'video/mp4', file: Number(file) };
		if (path.includes('/models/')) return { latency: 0, type: json, body: model };
		if (path.includes(`/workspaces/${talkWorkspace}/`))
			return { latency: 0, type: stream, body: saidOnce() };
		if (path.includes('/session/'))
			return { latency: 0, type: stream, pieces: pacedByAgent, every: pace };
		if (path.includes('/invoke_assistant'))
			return { latency: 0, type: stream, pieces: pacedByAssistant, every: pace };
		if (body.includes(models.talk)) return { latency: 0, type: json, body: callOfTool(body) };
		if (body.includes(models.long)) return { latency: 0, wire: long };
		if (body.includes(models.paced))
			return { latency: 0, type: stream, pieces: pacedTexts(pacedPieces), every: pace };
		if (body.includes(models.words))
			return { latency: 0, type: stream, pieces: pacedTexts(words), every: wordPace };
		const wait = latencyOf(body);
		// the responses protocol, which is not spoken by our node here, is asked for one object
		if (path.endsWith('/responses')) return { latency: wait, type: json, body: response };
		const wantsStream = /"stream":\s*true/.test(body) && !body.includes(models.whole);
		return wantsStream
			? { latency: wait, type: stream, body: streamed }
			: { latency: wait, type: json, body: whole };
	};
}

const latencyOf = (body: string) =>
	body.includes(models.late) ? latencies.late : body.includes(models.slow) ? latencies.slow : 0;

/** All models with prices, as a node reads them before it asks one. */
const catalog = Buffer.from(
	JSON.stringify({
		data: Object.values(models).map((id) => ({
			id,
			name: id,
			owned_by: 'bench',
			kind: 'text',
			context_length: 128_000,
			input_modalities: ['text'],
			pricing: { input_per_mtok: 1, output_per_mtok: 2 },
		})),
	}),
);

const event = (data: object) => `data: ${JSON.stringify(data)}\n\n`;
const end = 'data: [DONE]\n\n';
const usage = event({
	choices: [],
	usage: { prompt_tokens: 10, completion_tokens: 20, total_tokens: 30 },
});

const chunk = (content: string, finish: string | null = null) =>
	event({ choices: [{ index: 0, delta: { content }, finish_reason: finish }] });

const pacedTexts = (count: number) => [
	...Array.from({ length: count }, () => () => chunk(timeMark())),
	() => chunk('', 'stop') + usage + end,
];

/** The same from a workspace agent and from the market assistant: their only answers here. */
const pacedByAgent = [
	...Array.from({ length: pacedPieces }, () => () => event({ type: 'delta', content: timeMark() })),
	() => event({ type: 'end' }) + end,
];

let said = 0;
const saidOnce = () => {
	const content = `answer ${++said} `.padEnd(turnSize, 'x');
	return Buffer.from(event({ type: 'delta', content }) + event({ type: 'end' }) + end);
};

/** A call of the tool whose turn it is, with a text in each of its arguments; in the end an answer. */
function callOfTool(body: string): Buffer {
	const { messages, tools = [] } = JSON.parse(body) as {
		messages: Array<{ role: string; content: unknown }>;
		tools?: Array<{ function: { name: string; parameters: { properties?: object } } }>;
	};
	const done = messages.filter(({ role }) => role === 'tool').length;
	const { name, parameters } = tools[done % tools.length]?.function ?? {};
	const text = `message ${done} `.padEnd(turnSize, 'x');
	const given = Object.keys(parameters?.properties ?? {}).map((key) => [key, text]);
	const call = {
		id: `call_${done}`,
		type: 'function',
		function: { name, arguments: JSON.stringify(Object.fromEntries(given)) },
	};
	const isDone = done >= turnCount;
	const message = isDone ? { content: 'answer' } : { content: null, tool_calls: [call] };
	return Buffer.from(
		JSON.stringify({
			id: 'c-1',
			object: 'chat.completion',
			model: models.talk,
			choices: [
				{
					index: 0,
					message: { role: 'assistant', ...message },
					finish_reason: isDone ? 'stop' : 'tool_calls',
				},
			],
			usage: { prompt_tokens: 10, completion_tokens: 20, total_tokens: 30 },
		}),
	);
}

const named = (name: string, data: unknown) => `event: ${name}\n${event(data as object)}`;
const pacedByAssistant = [
	() =>
		named('chat', { chat_id: '6f1c2b1e-8d3a-4c0e-9a55-0d2f6b7c8e90', chat_title: 'bench' }) +
		named('message_start', { t: timeMark() }),
	...Array.from({ length: pacedPieces - 1 }, () => () => named('message_start', { t: timeMark() })),
	() => named('message_end', { message_id: 'm-1' }) + named('finish', null),
];

/** Makes the text as long as the answer has to be. */
function padded(make: (text: string) => string): Buffer {
	const left = answerSize - make('').length;
	if (left < 10) throw new Error(`an answer is longer than ${answerSize} bytes`);
	return Buffer.from(make('answer '.padEnd(left, 'x')));
}

/**
 * The whole response as it goes over the wire, made once: each event is an HTTP chunk of its own, as a service that sends
 * its tokens one by one would make it.
 */
function longAnswer(deltas: number): Buffer {
	const content = 'answer '.padEnd(deltaSize, 'x');
	const data = (id: string) =>
		event({
			id,
			object: 'chat.completion.chunk',
			created: 1_700_000_000,
			model: models.long,
			choices: [{ index: 0, delta: { content }, finish_reason: null }],
		});
	// letters, since our parser looks twice at numbers of 16 digits and more
	const one = data('chatcmpl-'.padEnd(eventSize - data('').length, 'abcdef'));
	if (one.length !== eventSize) throw new Error(`an event has ${one.length} bytes`);
	const framed = (text: string) => `${text.length.toString(16)}\r\n${text}\r\n`;
	const head =
		'HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\nconnection: close\r\n\r\n';
	const tail = [chunk('', 'stop'), usage, end].map(framed).join('');
	return Buffer.from(`${head}${framed(one).repeat(deltas)}${tail}0\r\n\r\n`);
}
