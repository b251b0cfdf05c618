import { bodyOf, listOf, type ChatRequest } from './chatRequest.ts';
import { json, type Reply } from './reply.ts';
import type { Row } from './row.ts';

interface Parts {
	row: Row;
	request: ChatRequest;
	/** The fields that all objects of an answer have. */
	head: { id: string; created: number; model: string };
	usage: Readonly<Record<string, unknown>>;
	finish: 'stop' | 'tool_calls';
}

/**
 * The answer of a service that does the work.
 *
 * A tool is called once where the request has one and does not end with a tool's result. Names in
 * `[[…]]` in the last message of the user: `other-model` names another model than was asked,
 * `dearer-only` doubles the reported cost, and each form of `usages` goes by its own. `picture`,
 * `speech` and `junk` answer with a file.
 */
export function answerOf(row: Row, request: ChatRequest): Reply {
	const { directives, model } = request;
	const own = row.answersAs?.[model] ?? model;
	const parts: Parts = {
		row,
		request,
		head: {
			id: 'chatcmpl-Be4fTIYWtxGlBH5d4Q92PvBz3A86q',
			created: 1786884748,
			model: directives.has('other-model') ? row.otherModel : own,
		},
		usage: usageOf(row, directives),
		finish: request.tool && !request.afterTool ? 'tool_calls' : 'stop',
	};
	return request.stream ? streamed(parts) : whole(parts);
}

function usageOf(row: Row, directives: ReadonlySet<string>): Parts['usage'] {
	const form = Object.keys(row.usages ?? {}).find((name) => directives.has(name));
	const usage = (form !== undefined && row.usages?.[form]) || row.usage;
	if (!directives.has('dearer-only') || typeof usage['cost'] !== 'number') return usage;
	return { ...usage, cost: usage['cost'] * 2 };
}

function whole(parts: Parts): Reply {
	const { row, head, usage, finish } = parts;
	const message =
		finish === 'tool_calls'
			? { role: 'assistant', content: null, tool_calls: [toolCall(parts)] }
			: { role: 'assistant', content: textOf(parts), ...Object.assign({}, ...filesOf(parts)) };
	const choices = [{ index: 0, message, logprobs: null, finish_reason: finish }];
	return json({ ...head, object: 'chat.completion', choices, usage }, 200, row.wholeHeaders);
}

function streamed(parts: Parts): Reply {
	const { row, request, head, usage, finish } = parts;
	const told = row.streamUsage === 'always' || request.asksUsage;
	const chunk = (choices: unknown[], more: object = {}) => ({
		...head,
		object: 'chat.completion.chunk',
		choices,
		...more,
	});
	const chunks = deltasOf(parts).map((delta) =>
		chunk([{ index: 0, delta, logprobs: null, finish_reason: null }]),
	);
	const withLast = told && row.usagePlace === 'with the last choice' ? { usage } : {};
	const inGroq =
		!told && row.streamUsage === 'asked or in x_groq'
			? { x_groq: { id: 'req_01jws06fdwe17vsr5vtbjeavww', usage } }
			: {};
	const end = [{ index: 0, delta: {}, logprobs: null, finish_reason: finish }];
	chunks.push(chunk(end, { ...withLast, ...inGroq }));
	if (told && row.usagePlace === 'in a chunk of its own') chunks.push(chunk([], { usage }));
	const events = chunks.map((one) => `data: ${JSON.stringify(one)}\n\n`);
	return {
		status: 200,
		headers: { 'content-type': 'text/event-stream' },
		pieces: [...events, 'data: [DONE]\n\n'],
	};
}

function deltasOf(parts: Parts): object[] {
	if (parts.finish === 'stop') {
		return [{ role: 'assistant', content: '' }, { content: textOf(parts) }, ...filesOf(parts)];
	}
	const call = toolCall(parts);
	const started = { index: 0, ...call, function: { name: call.function.name, arguments: '' } };
	return [
		{ role: 'assistant', content: null, tool_calls: [started] },
		{ tool_calls: [{ index: 0, function: { arguments: call.function.arguments } }] },
	];
}

const textOf = ({ row, request }: Parts) =>
	// what is said has no other text
	request.directives.has('speech')
		? ''
		: request.afterTool
			? `The tool said ${request.lastText}`
			: (row.says?.(request.fields) ?? `Hello from ${row.name}`);

/** The smallest PNG: one pixel. */
export const PICTURE =
	'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

/**
 * The deltas with files. Sound comes in pieces that are encoded each by itself.
 *
 * Sources: openrouter.ai/docs/features/multimodal/image-generation; the stream of audio in OpenAI's
 * specification (ChatCompletionStreamResponseDelta.audio).
 */
function filesOf({ request: { directives } }: Parts): object[] {
	const picture = { type: 'image_url', image_url: { url: `data:image/png;base64,${PICTURE}` } };
	const stays = { type: 'image_url', image_url: { url: 'https://pictures.example/1.png' } };
	const pictures = [{ images: [{ index: 0, ...picture }] }, { images: [{ index: 1, ...stays }] }];
	const junk = { type: 'image_url', image_url: { url: 'data:image/png;base64,PGh0bWw+' } };
	const speech = [
		{ audio: { id: 'audio_1', transcript: 'Good ' } },
		{ audio: { data: Buffer.from([1, 0, 2, 0]).toString('base64') } },
		{ audio: { transcript: 'morning, everybody, and welcome' } },
		{ audio: { data: Buffer.from([3, 0]).toString('base64') } },
		{ audio: { expires_at: 1786888348 } },
	];
	if (directives.has('picture')) return pictures;
	if (directives.has('junk')) return [{ images: [junk] }];
	return directives.has('speech') ? speech : [];
}

/** A call of the first tool: each required argument is a text. */
function toolCall({ request }: Parts) {
	const required = listOf(bodyOf(request.tool?.parameters)['required']);
	const names = required.length > 0 ? required.map(String) : ['city'];
	return {
		id: 'call_abc123',
		type: 'function',
		function: {
			name: request.tool?.name ?? '',
			arguments: JSON.stringify(Object.fromEntries(names.map((name) => [name, 'Oslo']))),
		},
	};
}
