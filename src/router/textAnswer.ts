import { truncatedAnswerError } from '../core/errors';
import { isPlainObject, type JsonObject, tryParseJson } from '../core/json';

/** The answer of a text model, the same for both protocols. */
export interface TextAnswer {
	/** Of the first choice, if there are several. */
	text: string;
	/** The model in the response, else the requested one. */
	model: string;
	/** `stop`, `length` (cut off by the token cap), `tool_calls`, `content_filter`; absent if none arrived. */
	finishReason?: string;
	/** Token counts as the model reported them; output tokens include hidden reasoning. Absent if none arrived. */
	usage?: JsonObject;
	/** The tool calls that the model requests, each complete. */
	toolCalls: ToolCall[];
	/** The text with which the model refuses to answer. */
	refusal?: string;
	/** The visible reasoning of a reasoning model, if any. */
	reasoning?: string;
	/** All choices, if there are several. */
	choices?: TextChoice[];
	/** The pictures and sounds that came within all choices. The protocol's own object refers to them. */
	attached?: AnswerFile[];
	/** What is known of those that were stored. */
	files?: object[];
	requestId?: string;
}

/** A picture or a sound that came within an answer. */
export interface AnswerFile {
	family: 'image' | 'audio';
	/** Empty where the answer does not say it. */
	mimeType: string;
	/** Of pieces that were encoded each by itself, one after the other. */
	base64: string;
}

export type TextChoice = Pick<
	TextAnswer,
	'text' | 'finishReason' | 'toolCalls' | 'refusal' | 'reasoning' | 'files'
>;

export interface ToolCall {
	id: string;
	name: string;
	/** Parsed if valid JSON, otherwise the text that the model wrote. */
	arguments: unknown;
}

export function toToolCall(id: unknown, name: unknown, written: unknown): ToolCall {
	const parsed = typeof written === 'string' ? tryParseJson(written) : undefined;
	const parsedArguments = parsed === undefined ? (written ?? '') : parsed;
	return { id: stringOrEmpty(id), name: stringOrEmpty(name), arguments: parsedArguments };
}

/** Far more than any answer has: a stream with more is broken or hostile. */
const MAX_PARTS = 5000;

/** @throws ServiceError `truncated` for an answer with too many parts of a kind. @param kind In the plural. */
export function checkCount(parts: number, kind: string): void {
	if (parts > MAX_PARTS) throw truncatedAnswerError(`It has more than ${MAX_PARTS} ${kind}.`);
}

/**
 * Groq has the token counts of a stream in a field of its own, and Moonshot in the choice, too: with several, each may have its own.
 *
 * @see https://console.groq.com/docs/api-reference (chat completion chunk), earendil-works/pi#2017 and northes/go-moonshot#17
 */
export function readUsage({ usage, x_groq: groq, choices }: JsonObject): unknown {
	const [first, another] = [choices].flat().map(Object) as JsonObject[];
	const ofChoice = another ? undefined : first?.['usage'];
	return usage ?? (isPlainObject(groq) ? groq['usage'] : undefined) ?? ofChoice;
}

export const stringOrEmpty = (value: unknown) => (typeof value === 'string' ? value : '');

/**
 * A message for the user about a problem with a complete answer, and what to do.
 *
 * @param maxTokens The limit that the request set on its own, if it did.
 */
export function answerWarning(answer: TextAnswer, maxTokens?: number): string | undefined {
	const { choices = [answer] } = answer;
	return choices
		.map((choice, index) =>
			choiceWarning(choice, choices.length > 1 ? `Answer ${index + 1}` : 'The answer', maxTokens),
		)
		.find(Boolean);
}

function choiceWarning(
	{ finishReason, text, toolCalls, refusal, reasoning, files }: TextChoice,
	subject: string,
	maxTokens: number | undefined,
): string | undefined {
	if (finishReason === 'length') {
		const hasContent = text || toolCalls.length;
		const missing = hasContent
			? `is cut off${placeOfCut(toolCalls)}`
			: 'has no text, because all tokens went into hidden reasoning';
		const reached =
			maxTokens === undefined
				? 'the cap on output tokens. Raise "Maximum Output Tokens"'
				: `${maxTokens} output tokens, which the spending cap and the service allow for it. Set "Maximum Output Tokens" to allow more`;
		return `${subject} ${missing}: it reached ${reached}; reasoning models need 2000 or more, since their thinking counts as output.`;
	}
	if (finishReason === 'content_filter')
		return `${subject} was stopped by the model's content filter: what came before is all there is. Change the message, or use another model.`;
	if (finishReason === 'incomplete')
		return `${subject} is cut off${placeOfCut(toolCalls)}: the model gave no reason.`;
	if (refusal) return 'The model refused to answer; its words are in "refusal".';
	if (finishReason && !COMPLETE.includes(finishReason))
		return `${subject} may be cut off: it ended for a reason that is not the protocol's, in "finishReason".`;
	const broken = toolCalls.find((call) => isBroken(call) && String(call.arguments).trim());
	if (broken)
		return `${subject} calls "${broken.name}" with arguments that are not valid JSON. They may be cut off: do not use them.`;
	if (!text && !toolCalls.length && !files) {
		const thought = reasoning ? ' What the model thought is in "reasoning".' : '';
		return `${subject} has no text.${thought} If it has something else, Message a Model returns that with Simplify turned off.`;
	}
	return undefined;
}

/** @returns the call in which an answer that is cut off ends, as the end of a clause; an empty text if all are whole. */
export function placeOfCut(toolCalls: readonly ToolCall[]): string {
	const cut = toolCalls.findLast(isBroken);
	return cut ? ` in its call of "${cut.name}"` : '';
}

/** Arguments that are not JSON are a text, and so are those that are written twice as JSON. */
const isBroken = ({ arguments: given }: ToolCall) =>
	typeof given === 'string' && tryParseJson(given) === undefined;

/**
 * Finish reasons of complete answers: of chat completions, Together's, Bedrock's (aws-samples/bedrock-access-gateway#11), earendil-works/pi#2107,
 * Claude's behind Portkey (finishReasonMap.ts), Gemini's (QwenLM/qwen-code#9882).
 */
export const COMPLETE: readonly unknown[] = [
	'stop',
	'tool_calls',
	'function_call',
	'eos',
	'end_turn',
	'end',
	'tool_use',
	'stop_sequence',
	'STOP',
];

/** Finish reasons that explain an answer without text: it was cut off, or withheld. */
export const FINISH_WITHOUT_TEXT: readonly unknown[] = ['length', 'content_filter'];

/** Those of an answer that may end inside a call of a tool. */
export const FINISH_WHEN_CUT: readonly unknown[] = [...FINISH_WITHOUT_TEXT, 'incomplete'];
