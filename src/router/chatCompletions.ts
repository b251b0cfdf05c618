import { truncatedAnswerError } from '../core/errors';
import { extractText } from '../core/extractText';
import type { Http } from '../core/http';
import { isPlainObject } from '../core/json';
import type { ChatMessage } from './messages';
import { toToolCall, type TextAnswer, type TextChoice } from './textAnswer';
import { streamAnswer, type AnswerAccumulator, type OnText } from './textStream';
import { sortCalls, isMissing, createPartialCalls, addCallFragment } from './toolCallDeltas';

/** The body of `POST /v1/chat/completions`. Any other protocol field is sent on unchanged. */
export interface ChatRequest {
	/** A model `id` from the catalog, e.g. `vendor/model`. */
	model: string;
	messages: ChatMessage[];
	/** Cap on output tokens, hidden reasoning included. Unset, the balance hold assumes 4096. */
	max_tokens?: number;
	/** 0 to 2. */
	temperature?: number;
	[field: string]: unknown;
}

/**
 * Asks a text model in the chat-completions protocol and collects its streamed answer.
 *
 * @throws ServiceError with an outcome; `truncated` when the stream reports an error or ends without `[DONE]` (what arrived is in
 *   `details.partial`, and is billed).
 * @see POST /v1/chat/completions
 */
export async function completeChat(
	http: Http,
	request: ChatRequest,
	onText: OnText = () => {},
): Promise<ChatAnswer> {
	const path = '/v1/chat/completions';
	const protocol = {
		path,
		requestName: 'chat request',
		endMark: '[DONE]',
		createAccumulator: createChatAccumulator,
	};
	return await streamAnswer(http, request, protocol, onText);
}

function createChatAccumulator(requestedModel: string): AnswerAccumulator<ChatAnswer> {
	const { add, answer, isEmpty } = createChunkAccumulator(requestedModel);
	let completeBody: Record<string, unknown> | undefined;
	const readCompleteText = () => {
		const [first] =
			completeBody && Array.isArray(completeBody['choices']) ? completeBody['choices'] : [];
		return (isPlainObject(first) && extractText(first['message'])) || '';
	};
	return {
		add,
		addComplete(body) {
			const inner = WRAPPER_FIELDS.map((name) => body[name]).filter(isPlainObject);
			completeBody = [body, ...inner].find(({ choices }) => Array.isArray(choices));
			if (completeBody) add(completeBody);
			return completeBody !== undefined;
		},
		isEmpty: () => isEmpty() && !readCompleteText(),
		answer() {
			const answered = answer();
			return answered.text || !completeBody ? answered : { ...answered, text: readCompleteText() };
		},
	};
}

/** Fields in which some services wrap the answer. */
const WRAPPER_FIELDS = ['data', 'response', 'result', 'completion', 'output', 'body'];

interface ChatAnswer extends TextAnswer {
	/** The `chat.completion` object as it would be without streaming. Unknown fields are kept. */
	completion: Record<string, unknown>;
}

/** Far more than any request asks for: a stream with more is broken or hostile. */
const MAX_CHOICES = 5000;

/** A choice of which chunks are still arriving. */
type PartialChoice = ReturnType<typeof createPartialChoice>;

const createPartialChoice = (index: number) => ({
	index,
	/** Fields beside the delta, such as `finish_reason`. */
	fields: {} as Record<string, unknown>,
	/** The chunks of `content`. */
	contentChunks: [] as string[],
	/** Every other field of the message. */
	message: {} as Record<string, unknown>,
	calls: createPartialCalls(),
});

/** Builds one chat completion from the chunks of its stream. A complete answer can be added as a single chunk. */
export function createChunkAccumulator(requestedModel: string) {
	/** Fields of the completion beside its choices. */
	const fields: Record<string, unknown> = {};
	const choices = new Map<number, PartialChoice>();

	return {
		/** @returns the text that this chunk adds to the first choice. */
		add(chunk: Record<string, unknown>): string {
			for (const name in chunk) {
				const value = chunk[name];
				if (name !== 'choices' && !isMissing(value) && isCompatible(fields, name, value))
					fields[name] = value;
			}
			const chunkChoices = chunk['choices'];
			let text = '';
			if (Array.isArray(chunkChoices)) {
				for (const [position, choice] of chunkChoices.entries()) {
					const added = addToChoices(choices, choice, position);
					if (choiceIndex(choice, position) === 0) text += added;
				}
			}
			return text;
		},
		/** Whether every choice lacks both content and a finish reason that explains why. */
		isEmpty: () => ![...choices.values()].some(choiceHasContent),
		answer(): ChatAnswer {
			const sorted = [...choices.values()].sort((one, other) => one.index - other.index);
			const textChoices = sorted.map(toTextChoice);
			const [first = { text: '', toolCalls: [] }] = textChoices;
			const { model, usage } = fields;
			return {
				...first,
				model: typeof model === 'string' ? model : requestedModel,
				...(isPlainObject(usage) && { usage }),
				...(textChoices.length > 1 && { choices: textChoices }),
				completion: { ...fields, object: 'chat.completion', choices: sorted.map(toCompleteChoice) },
			};
		},
	};
}

/** @returns the text that a choice of a chunk adds to the choice that it belongs to. */
function addToChoices(
	choices: Map<number, PartialChoice>,
	chunkChoice: unknown,
	position: number,
): string {
	if (!isPlainObject(chunkChoice)) return '';
	const index = choiceIndex(chunkChoice, position);
	let choice = choices.get(index);
	if (!choice) {
		if (choices.size >= MAX_CHOICES)
			throw truncatedAnswerError(`It has more than ${MAX_CHOICES} choices.`);
		choice = createPartialChoice(index);
		choices.set(index, choice);
	}
	for (const name in chunkChoice) {
		const value = chunkChoice[name];
		if (name === 'delta' || name === 'message' || name === 'index' || isMissing(value)) continue;
		choice.fields[name] = isPlainObject(value) ? mergeValue(choice.fields[name], value) : value;
	}
	const delta = chunkChoice['delta'] ?? chunkChoice['message'];
	if (isPlainObject(delta)) return addDelta(choice, delta);
	// some services send the text beside the delta, as completions did before there were chats
	const { text } = chunkChoice;
	return typeof text === 'string' ? addDelta(choice, { content: text }) : '';
}

/** Finish reasons that explain an answer without text: it was cut off, or withheld. */
const FINISH_WITHOUT_TEXT = new Set<unknown>(['length', 'content_filter', 'max_tokens']);

/** A role or another finish reason alone is no content. */
function choiceHasContent({ contentChunks, message, calls, fields }: PartialChoice): boolean {
	const hasOtherFields = Object.entries(message).some(
		([name, value]) => name !== 'role' && !isMissing(value) && !(isList(value) && !value.length),
	);
	return (
		hasOtherFields ||
		contentChunks.length > 0 ||
		calls.byPosition.size > 0 ||
		FINISH_WITHOUT_TEXT.has(fields['finish_reason'])
	);
}

/** Whether a later value has the same type; one of another type does not replace the first. */
const isCompatible = (fields: Record<string, unknown>, name: string, value: unknown) =>
	fields[name] === undefined || typeof fields[name] === typeof value;

/** The index of a choice; without one, its position in the list. */
const choiceIndex = (entry: unknown, position: number) =>
	isPlainObject(entry) && typeof entry['index'] === 'number' ? entry['index'] : position;

function addDelta(choice: PartialChoice, delta: Record<string, unknown>): string {
	let content = '';
	for (const name in delta) {
		const value = delta[name];
		if (name === 'content') {
			// content may be a part, or a list of parts
			content = extractText(value) ?? '';
			if (content) choice.contentChunks.push(content);
		} else if (name === 'tool_calls') {
			if (isList(value))
				value.forEach((call, position) => addCallFragment(choice.calls, call, position));
		} else if (!isMissing(value)) {
			choice.message[name] = name === 'role' ? value : mergeValue(choice.message[name], value);
		}
	}
	return content;
}

/** Appends to texts and lists, merges objects field by field, and takes the last of any other value. Changes `existing` in place. */
function mergeValue(existing: unknown, value: unknown): unknown {
	if (typeof existing === 'string' && typeof value === 'string') return existing + value;
	if (isList(existing) && isList(value)) {
		for (const entry of value) existing.push(entry);
		return existing;
	}
	if (!isPlainObject(existing) || !isPlainObject(value)) return value;
	for (const [name, field] of Object.entries(value)) {
		if (!isMissing(field)) existing[name] = mergeValue(existing[name], field);
	}
	return existing;
}

const isList = (value: unknown): value is unknown[] => Array.isArray(value);

function toTextChoice({ contentChunks, message, fields, calls }: PartialChoice): TextChoice {
	const { finish_reason: finishReason } = fields;
	const { refusal } = message;
	const reasoning = message['reasoning_content'] ?? message['reasoning'];
	const toolCalls = sortCalls(calls).map((call) => {
		const calledFunction = isPlainObject(call['function']) ? call['function'] : {};
		return toToolCall(call['id'], calledFunction['name'], calledFunction['arguments']);
	});
	return {
		text: contentChunks.join(''),
		toolCalls,
		...(typeof finishReason === 'string' && { finishReason }),
		...(typeof refusal === 'string' && { refusal }),
		...(typeof reasoning === 'string' && { reasoning }),
	};
}

function toCompleteChoice({ index, contentChunks, message, fields, calls }: PartialChoice): object {
	const text = contentChunks.join('');
	const toolCalls = sortCalls(calls);
	return {
		index,
		message: {
			role: 'assistant',
			...message,
			content: text || (toolCalls.length || message['refusal'] ? null : ''),
			...(toolCalls.length && { tool_calls: toolCalls }),
		},
		finish_reason: null,
		...fields,
	};
}
