import { parseErrorBody } from '../core/errorResponses';
import { textOf } from '../core/extractText';
import type { Http } from '../core/http';
import { isMissing, isPlainObject, type JsonObject } from '../core/json';
import { createAnswerEnd, finishOf, hasBroken, isCut } from './answerEnd';
import { takeFiles, transcriptOf } from './answerFiles';
import { type ChatMessage, hasMore } from './messages';
import {
	mergeField,
	mergePiece,
	addCallFragment,
	createPartialCalls,
	type PartialChoice,
	sortCalls,
} from './chatMessage';
import { readReasoning } from './reasoning';
import {
	type AnswerFile,
	checkCount,
	readUsage,
	toToolCall,
	type TextAnswer,
	type TextChoice,
} from './textAnswer';
import { streamAnswer, type AnswerAccumulator, type OnText } from './textStream';

/** The body of `POST /v1/chat/completions`. Any other protocol field is sent on unchanged. */
export interface ChatRequest {
	/** A model `id` from the catalog, e.g. `vendor/model`. */
	model: string;
	messages: ChatMessage[];
	/** Cap on output tokens, hidden reasoning included. Unset, the balance hold assumes 4096. */
	max_tokens?: number;
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
	onText: OnText,
): Promise<ChatAnswer> {
	const protocol = {
		path: '/v1/chat/completions',
		requestName: 'chat request',
		endMark: '[DONE]',
		// the specified service, which alone is not asked for token counts, always sends its mark
		createAccumulator: (model: string) =>
			createChatAccumulator(model, Number(request['n'] ?? 1), 'stream_options' in request),
	};
	return await streamAnswer(http, { ...request, stream: true }, protocol, onText);
}

interface ChatAnswer extends TextAnswer {
	/** The `chat.completion` object as it would be without streaming. Unknown fields are kept. */
	completion: JsonObject;
}

/**
 * Builds one chat completion from the chunks of its stream, or from one that arrived in one piece.
 *
 * @param number Of choices that were asked for.
 * @param mayLackMark Whether the end mark may be missing where all else has arrived.
 */
export function createChatAccumulator(
	requestedModel: string,
	number: number,
	mayLackMark = false,
): AnswerAccumulator<ChatAnswer> {
	/** Fields of the completion beside its choices. */
	const fields: JsonObject = {};
	const choices = new Map<number, PartialChoice>();
	const end = createAnswerEnd(number);
	let isOnePiece = false;

	const add = (chunk: JsonObject): string => {
		for (const name in chunk) {
			const value = chunk[name];
			// most chunks repeat what the first one says
			if (name === 'choices' || value === fields[name]) continue;
			if (!isMissing(value)) fields[name] = value;
		}
		const { choices: chunkChoices } = chunk as { choices?: Array<JsonObject | null> };
		let text = '';
		if (Array.isArray(chunkChoices))
			for (const [position, choice] of chunkChoices.entries())
				text += addToChoices(choices, end, choice, position);
		// most pieces have none
		if (chunk['usage'] ?? chunk['x_groq'] ?? chunkChoices?.[0]?.['usage']) end.addCounts(chunk);
		return text;
	};

	return {
		add,
		addComplete(body) {
			isOnePiece = Array.isArray(body['choices']);
			if (isOnePiece) add(body);
			return isOnePiece;
		},
		/** Whether every choice lacks both content and a finish reason that explains why. */
		isEmpty: () => ![...choices.values()].some(choiceHasContent),
		/** Perplexity sends no end mark, nor did Cerebras in 2025: their recordings in https://github.com/maruel/genai. */
		isWhole: () => mayLackMark && end.isWhole(choices.size),
		/** OpenRouter reports the failure of a backend in the choice. */
		failure() {
			const { fields: first } = choices.get(0) ?? {};
			return first && hasBroken(first) ? parseErrorBody(first['error']) : undefined;
		},
		answer() {
			const { complete, ...answer } = toAnswer(choices);
			const { model } = fields;
			const usage = readUsage({ ...fields, choices: complete });
			return {
				...answer,
				model: typeof model === 'string' ? model : requestedModel,
				...(isPlainObject(usage) && (isOnePiece || end.isCounted()) && { usage }),
				completion: { ...fields, object: 'chat.completion', choices: complete },
			};
		},
	};
}

/** The first choice, and all of them where there are several. `complete` are the protocol's own, without files: these are `attached`. */
function toAnswer(choices: ReadonlyMap<number, PartialChoice>) {
	const sorted = [...choices.values()].sort((one, other) => one.index - other.index);
	const textChoices = sorted.map(toTextChoice);
	const [first = { text: '', toolCalls: [] }] = textChoices;
	const attached: AnswerFile[] = [];
	const complete = sorted.map((choice) => toCompleteChoice(choice, attached));
	return {
		...first,
		...(textChoices.length > 1 && { choices: textChoices }),
		...(attached.length && { attached }),
		complete,
	};
}

/**
 * Adds a choice of a chunk to the choice with its index; without one, with its position in the list.
 *
 * @returns the text that it adds to the first choice.
 */
function addToChoices(
	choices: Map<number, PartialChoice>,
	end: ReturnType<typeof createAnswerEnd>,
	chunkChoice: unknown,
	position: number,
): string {
	if (!isPlainObject(chunkChoice)) return '';
	const index = typeof chunkChoice['index'] === 'number' ? chunkChoice['index'] : position;
	const known = choices.get(index);
	const choice = known ?? addChoice(choices, index);
	for (const name in chunkChoice) {
		const value = chunkChoice[name];
		if (name === 'delta' || name === 'message' || name === 'index' || isMissing(value)) continue;
		choice.fields[name] = mergeField(choice.fields[name], value, name);
	}
	const whole = known ? undefined : findWhole(chunkChoice);
	choice.whole = whole && structuredClone(whole);
	const piece = whole ?? chunkChoice['delta'];
	const delta = isPlainObject(piece) ? piece : {};
	const added = addDelta(choice, delta);
	end.add(choice, delta, chunkChoice);
	return index === 0 ? added : '';
}

/** @throws ServiceError `truncated` for one too many. */
function addChoice(choices: Map<number, PartialChoice>, index: number): PartialChoice {
	const choice = { index, fields: {}, contentChunks: [], spokenChunks: [], message: {} };
	choices.set(index, choice);
	checkCount(choices.size, 'choices');
	return choice;
}

/** A message that came whole, and not in pieces. Perplexity sends an empty delta beside it. */
function findWhole({ delta, message }: JsonObject): JsonObject | undefined {
	const isEmpty = !isPlainObject(delta) || (!hasMore(delta) && isMissing(delta['content']));
	if (!isEmpty || !isPlainObject(message)) return undefined;
	const { content } = message;
	// Cloudflare gives JSON that was asked for as it is: https://github.com/posit-dev/chatlas (recordings)
	return isPlainObject(content) ? { ...message, content: JSON.stringify(content) } : message;
}

/** A role or another finish reason alone is not content. */
function choiceHasContent({ contentChunks, message, calls, fields }: PartialChoice): boolean {
	return (
		hasMore(message) ||
		isThinking(message['content']) ||
		contentChunks.length > 0 ||
		Boolean(calls?.byPosition.size) ||
		isCut(fields)
	);
}

function addDelta(choice: PartialChoice, delta: JsonObject): string {
	let content = '';
	let spoken = '';
	for (const name in delta) {
		const value = delta[name];
		if (name === 'content') {
			content = textOf(value) ?? '';
			addContent(choice, value);
			if (content) choice.contentChunks.push(content);
			if (content) choice.isSpoken ??= false;
		} else if (name === 'tool_calls') {
			if (Array.isArray(value))
				for (const [position, call] of value.entries())
					addCallFragment((choice.calls ??= createPartialCalls()), call, position);
		} else {
			if (name === 'audio') spoken = addSpoken(choice, value);
			choice.message[name] = mergePiece(choice.message[name], value, name);
		}
	}
	return choice.isSpoken ? spoken : content;
}

/** @returns what a piece of the sound says. */
function addSpoken(choice: PartialChoice, audio: unknown): string {
	const spoken = transcriptOf(audio);
	if (!spoken) return '';
	choice.spokenChunks.push(spoken);
	choice.isSpoken ??= true;
	return spoken;
}

/** A content of parts stays one: Mistral sends them before texts and, as references, between them (vercel/ai#4747). */
function addContent({ message, contentChunks }: PartialChoice, value: unknown): void {
	const { content } = message;
	if (Array.isArray(value)) {
		const text = Array.isArray(content) ? '' : contentChunks.join('');
		message['content'] = mergePiece(text ? [{ type: 'text', text }] : content, value);
	} else if (!value) message['content'] ??= value;
	else if (Array.isArray(content)) mergePiece(content, [{ type: 'text', text: value }]);
}

/** Whether a content has parts that are no texts: Mistral's thinking. */
const isThinking = (content: unknown) =>
	Array.isArray(content) && content.some((part) => isPlainObject(part) && part['type'] !== 'text');

function toTextChoice({
	contentChunks,
	spokenChunks,
	isSpoken,
	message,
	fields,
	calls,
}: PartialChoice): TextChoice {
	const finishReason = finishOf(fields);
	const { refusal } = message;
	const reasoning = readReasoning(message);
	// a service of the first form of the protocol has one call, without an ID
	const { function_call: legacyCall } = message;
	const isCall = isPlainObject(legacyCall) && legacyCall['name'];
	const legacy = isCall ? [{ id: undefined, function: legacyCall }] : [];
	const all: JsonObject[] = calls ? sortCalls(calls, isCut(fields)) : legacy;
	const toolCalls = all.map(({ id, function: called }) => {
		const { name, arguments: given } = isPlainObject(called) ? called : {};
		return toToolCall(id, name, given);
	});
	return {
		text: (isSpoken ? spokenChunks : contentChunks).join(''),
		toolCalls,
		...(typeof finishReason === 'string' && { finishReason }),
		...(typeof refusal === 'string' && refusal && { refusal }),
		...(reasoning && { reasoning }),
	};
}

/** @param files Gets those of its message. */
function toCompleteChoice(choice: PartialChoice, files: AnswerFile[]): object {
	const { index, contentChunks, message, fields, calls, whole } = choice;
	const toolCalls = calls ? sortCalls(calls, isCut(fields)) : [];
	const { content = toolCalls.length || message['refusal'] ? null : '' } = message;
	const built: JsonObject = {
		...message,
		content: Array.isArray(content) ? content : contentChunks.join('') || content,
		...(toolCalls.length && { tool_calls: toolCalls }),
	};
	return {
		index,
		message: takeFiles({ role: 'assistant', ...(whole ?? built) }, files),
		finish_reason: null,
		...fields,
	};
}
