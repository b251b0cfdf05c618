import { timeMark } from './live.ts';

/** Models of the service. The name says how it answers. */
export const models = {
	/** A short answer at once: a stream, or one object of the same size, as requested. */
	short: 'bench/short',
	/** A long stream at full speed. */
	long: 'bench/long',
	/** Pieces with the time of their writing, one every 10 ms. */
	paced: 'bench/paced',
	/** The same every 20 ms, as a model speaks. */
	words: 'bench/words',
	/** Calls its tools in turn until all turns of a conversation are done. */
	talk: 'bench/talk',
} as const;

/** Pieces of a paced answer. */
export const PIECES = 100;
/** Turns of a conversation, and characters of each message in it. */
export const TURNS = 50;
const TURN_SIZE = 100;
/** Bytes of a short answer, whatever its form. */
const SHORT_SIZE = 400;
/** Bytes of one event of the long answer with its blank line, and characters of text in it. */
const EVENT_SIZE = 244;
export const DELTA_SIZE = 40;
/** The workspace whose agent answers at once. */
export const talkWorkspace = 'talk';
/** The one whose agent answers with one JSON body of this size, which has no line break. */
export const lineWorkspace = 'line';
export const LINE_SIZE = 8 * 1024 * 1024;

export type Answer = { type?: string } & (
	| { body: string | Buffer }
	/** a whole response, as it goes over the wire */
	| { wire: Buffer }
	/** pieces of a stream, made when they are sent, one every so many milliseconds */
	| { pieces: Array<() => string>; every: number }
	/** a file of so many bytes */
	| { file: number }
);

const event = (data: object) => `data: ${JSON.stringify(data)}\n\n`;
const done = 'data: [DONE]\n\n';
const usage = { prompt_tokens: 10, completion_tokens: 20, total_tokens: 30 };
const chunk = (content: string, finish_reason: string | null = null) =>
	event({ choices: [{ index: 0, delta: { content }, finish_reason }] });
const end = chunk('', 'stop') + event({ choices: [], usage }) + done;
const completion = (message: object, finish_reason = 'stop') =>
	JSON.stringify({
		id: 'c-1',
		object: 'chat.completion',
		model: models.short,
		usage,
		choices: [{ index: 0, message: { role: 'assistant', ...message }, finish_reason }],
	});

/** The same in the protocol of n8n's OpenAI node. */
const responseOf = (text: string) =>
	JSON.stringify({
		id: 'r-1',
		object: 'response',
		status: 'completed',
		model: models.short,
		output: [{ type: 'message', role: 'assistant', content: [{ type: 'output_text', text }] }],
		usage: { input_tokens: 10, output_tokens: 20, total_tokens: 30 },
	});

/** @param deltas how many events with text the long answer has */
export function answersOf(deltas: number): (path: string, body: string) => Answer {
	const whole = padded((content) => completion({ content }));
	const streamed = padded((text) => chunk(text) + end);
	const long = longAnswer(deltas);
	const response = padded(responseOf);
	const line = JSON.stringify({ answer: 'answer '.repeat(LINE_SIZE / 'answer '.length) });
	return (path, body) => {
		if (path.includes('/models')) return { body: catalog };
		if (path.endsWith('/responses')) return { body: response };
		const file = /\/jobs\/file-(\d+)\/content$/.exec(path)?.[1];
		if (file) return { type: 'video/mp4', file: Number(file) };
		if (path.includes(`/workspaces/${lineWorkspace}/`)) return { body: line };
		if (path.includes(`/workspaces/${talkWorkspace}/`)) return streamOf(messageOfSpeaker());
		if (path.includes('/session/')) return { ...streamOf(''), pieces: byAgent, every: 10 };
		if (path.includes('/invoke_assistant'))
			return { ...streamOf(''), pieces: byAssistant, every: 10 };
		const asked = (model: string) => body.includes(model);
		if (asked(models.talk)) return { body: callOfTool(body) };
		if (asked(models.long)) return { wire: long };
		if (asked(models.paced)) return { ...streamOf(''), pieces: byModel, every: 10 };
		if (asked(models.words)) return { ...streamOf(''), pieces: byModel, every: 20 };
		return /"stream":\s*true/.test(body) ? streamOf(streamed) : { body: whole };
	};
}

const streamOf = (body: string | Buffer) => ({ type: 'text/event-stream', body });

/** All models with prices, as a node reads them before it asks one. */
const catalog = JSON.stringify({
	data: Object.values(models).map((id) => ({
		id,
		name: id,
		owned_by: 'bench',
		kind: 'text',
		context_length: 128_000,
		input_modalities: ['text'],
		pricing: { input_per_mtok: 1, output_per_mtok: 2 },
	})),
});

const times = (count: number, piece: () => string) => Array.from({ length: count }, () => piece);
const byModel = [...times(PIECES, () => chunk(timeMark())), () => end];
const byAgent = [
	...times(PIECES, () => event({ type: 'delta', content: timeMark() })),
	() => event({ type: 'end' }) + done,
];
const named = (name: string, data: unknown) => `event: ${name}\ndata: ${JSON.stringify(data)}\n\n`;
const chat = { chat_id: '6f1c2b1e-8d3a-4c0e-9a55-0d2f6b7c8e90', chat_title: 'bench' };
const byAssistant = [
	() => named('chat', chat) + named('message_start', { t: timeMark() }),
	...times(PIECES - 1, () => named('message_start', { t: timeMark() })),
	() => named('message_end', { message_id: 'm-1' }) + named('finish', null),
];

let spoken = 0;
/** A text of its own each time: n8n stores equal texts only once. */
const messageOfSpeaker = () => {
	const content = `answer ${++spoken} `.padEnd(TURN_SIZE, 'x');
	return event({ type: 'delta', content }) + event({ type: 'end' }) + done;
};

/** Calls the tool whose turn it is, with a text in each of its arguments; answers when all turns are done. */
function callOfTool(body: string) {
	const { messages, tools = [] } = JSON.parse(body) as {
		messages: Array<{ role: string }>;
		tools?: Array<{ function: { name: string; parameters: { properties?: object } } }>;
	};
	const turn = messages.filter(({ role }) => role === 'tool').length;
	if (turn >= TURNS) return completion({ content: 'answer' });
	const { name, parameters } = tools[turn % tools.length]?.function ?? {};
	const text = `message ${turn} `.padEnd(TURN_SIZE, 'x');
	const given = Object.keys(parameters?.properties ?? {}).map((key) => [key, text]);
	const call = { name, arguments: JSON.stringify(Object.fromEntries(given)) };
	const tool_calls = [{ id: `call_${turn}`, type: 'function', function: call }];
	return completion({ content: null, tool_calls }, 'tool_calls');
}

/** Makes the text as long as the answer has to be. */
function padded(make: (text: string) => string): Buffer {
	const left = SHORT_SIZE - make('').length;
	if (left < 10) throw new Error(`an answer is longer than ${SHORT_SIZE} bytes`);
	return Buffer.from(make('answer '.padEnd(left, 'x')));
}

/** Made once, and each event an HTTP chunk of its own, as a service that sends token by token makes it. */
function longAnswer(deltas: number): Buffer {
	const content = 'answer '.padEnd(DELTA_SIZE, 'x');
	const data = (id: string) =>
		event({
			id,
			object: 'chat.completion.chunk',
			created: 1_700_000_000,
			model: models.long,
			choices: [{ index: 0, delta: { content }, finish_reason: null }],
		});
	// letters, since our parser looks twice at numbers of 16 digits and more
	const one = data('chatcmpl-'.padEnd(EVENT_SIZE - data('').length, 'abcdef'));
	if (one.length !== EVENT_SIZE) throw new Error(`an event has ${one.length} bytes`);
	const framed = (text: string) => `${text.length.toString(16)}\r\n${text}\r\n`;
	const head =
		'HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\nconnection: close\r\n\r\n';
	return Buffer.from(`${head}${framed(one).repeat(deltas)}${framed(end)}0\r\n\r\n`);
}
