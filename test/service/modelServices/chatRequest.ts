/** A request's body, not trusted to have any form. */
export type Body = Readonly<Record<string, unknown>>;

/** What the stand-ins read in a request for chat completions. */
export interface ChatRequest {
	model: string;
	/** All fields of the top level. */
	fields: Body;
	stream: boolean;
	/** Whether the tokens of a stream are asked for. */
	asksUsage: boolean;
	/** The text of the last message. */
	lastText: string;
	/** Whether the last message is the result of a tool. */
	afterTool: boolean;
	/** The first tool that the model may call. */
	tool: { name: string; parameters: Body } | undefined;
	/** The names in `[[…]]` in the last message of the user. */
	directives: ReadonlySet<string>;
}

/** Reads a request for chat completions; what is missing is empty. */
export function chatRequest(fields: Body): ChatRequest {
	const messages = listOf(fields['messages']).map(bodyOf);
	const last: Body = messages.at(-1) ?? {};
	const lastOfUser: Body = messages.findLast((message) => message['role'] === 'user') ?? {};
	return {
		model: String(fields['model'] ?? ''),
		fields,
		stream: fields['stream'] === true,
		asksUsage: bodyOf(fields['stream_options'])['include_usage'] === true,
		lastText: textOf(last['content']),
		afterTool: last['role'] === 'tool',
		tool: toolOf(listOf(fields['tools'])[0]),
		directives: directivesIn(textOf(lastOfUser['content'])),
	};
}

export const bodyOf = (value: unknown): Body =>
	typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : {};

export const listOf = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);

/** The text of a message: its content, or the text parts of it. */
function textOf(content: unknown): string {
	if (typeof content === 'string') return content;
	return listOf(content)
		.map((part) => String(bodyOf(part)['text'] ?? ''))
		.join('');
}

function toolOf(tool: unknown): ChatRequest['tool'] {
	const described = bodyOf(bodyOf(tool)['function']);
	if (typeof described['name'] !== 'string') return undefined;
	return { name: described['name'], parameters: bodyOf(described['parameters']) };
}

function directivesIn(text: string): Set<string> {
	return new Set([...text.matchAll(/\[\[([\w-]+)\]\]/g)].map((match) => match[1] ?? ''));
}
