import { tryParseJson } from '../service/json';

/** The answer of a text model, in the same words for both protocols. */
export interface TextAnswer {
	/** Of the first choice, where there are several. */
	text: string;
	/** As the router names it; the requested name when it names none. */
	model: string;
	/** `stop`, `length` (cut off by the token cap), `tool_calls`, `content_filter`; absent when none came. */
	finishReason?: string;
	/** Token counts as the model reported them; output tokens include hidden reasoning. Absent when none came. */
	usage?: Record<string, unknown>;
	/** Calls that the model asks for, whole. */
	toolCalls: ToolCall[];
	/** What the model says in place of an answer that it will not give. */
	refusal?: string;
	/** The thoughts that a reasoning model shows, where it shows any. */
	reasoning?: string;
	/** All choices, where there are several. */
	choices?: TextChoice[];
	requestId?: string;
}

export type TextChoice = Pick<
	TextAnswer,
	'text' | 'finishReason' | 'toolCalls' | 'refusal' | 'reasoning'
>;

export interface ToolCall {
	id: string;
	name: string;
	/** Parsed where it is valid JSON, otherwise the text that the model wrote. */
	arguments: unknown;
}

export function toToolCall(id: unknown, name: unknown, written: unknown): ToolCall {
	const parsed = typeof written === 'string' ? tryParseJson(written) : undefined;
	const given = parsed === undefined ? (written ?? '') : parsed;
	return { id: textOf(id), name: textOf(name), arguments: given };
}

const textOf = (value: unknown) => (typeof value === 'string' ? value : '');

/** What is wrong with an answer that came whole, and how to mend it, as a sentence for the user. */
export function noticeOf(answer: TextAnswer): string | undefined {
	const { choices = [answer] } = answer;
	return choices
		.map((choice, index) =>
			choiceNotice(choice, choices.length > 1 ? `Answer ${index + 1}` : 'The answer'),
		)
		.find(Boolean);
}

function choiceNotice(
	{ finishReason, text, toolCalls, refusal }: TextChoice,
	it: string,
): string | undefined {
	if (finishReason === 'length') {
		const came = text || toolCalls.length;
		const missing = came ? 'is cut off' : 'has no text, all tokens went into hidden reasoning';
		return `${it} ${missing}: it reached the cap on output tokens. Raise "Maximum Output Tokens"; reasoning models need 2000 or more, since their thinking counts as output.`;
	}
	if (finishReason === 'content_filter')
		return `${it} was stopped by the model's content filter: what came before is all there is. Change the message, or use another model.`;
	if (finishReason === 'incomplete') return `${it} is cut off: the model gave no reason.`;
	if (refusal) return 'The model refused to answer; its words are in "refusal".';
	return undefined;
}
