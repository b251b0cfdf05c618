import { textOf } from '../core/extractText';
import { isPlainObject, tryParseJson, type JsonObject } from '../core/json';
import { type ChatMessage, toAssistantMessage } from './messages';
import { stringOrEmpty, type TextAnswer } from './textAnswer';

/** Whom an answer is from, and in which form. */
interface Origin {
	/** As it was asked for. */
	model: string;
	/** A text of its own for each protocol. */
	protocol: string;
}

/** An answer that calls tools, or that follows their results, as the model gave it. Plain data. */
export interface GivenAnswer extends Origin {
	/** The calls in their order: the ID by which they are known in n8n, and the model's own. Of an answer to results: see `idAfter`. */
	calls: Array<{ id: string; own: string }>;
	/** What comes back to the model: its message, or its output items. */
	given: JsonObject[];
	/** What comes back to another model: its text and its calls, as a message of chat completions. */
	plain: ChatMessage;
}

/** Finds an answer by the ID of one of its calls. */
type FindAnswer = (id: string) => GivenAnswer | undefined;

/**
 * Gives each call of an answer an ID that no other call has: IDs of models, such as `call_0`, are there in every conversation.
 *
 * @param given As it came.
 * @param resultOf The call whose result the answer follows.
 * @returns the answer with these IDs, and what is to be remembered of it.
 */
export function nameCalls<Answer extends TextAnswer>(
	answer: Answer,
	given: readonly unknown[],
	origin: Origin,
	createId: () => string,
	resultOf?: string,
): { answer: Answer; remembered: GivenAnswer } {
	const calls = answer.toolCalls.map(({ id: own }, index, all) => {
		const id = createId();
		const isNamed = own && all.findIndex((other) => other.id === own) === index;
		return { id, own: isNamed ? own : id };
	});
	const named = answer.toolCalls.map((call, index) => ({ ...call, id: calls[index]?.id ?? '' }));
	const remembered = {
		...origin,
		calls: calls.length || !resultOf ? calls : [{ id: idAfter(resultOf), own: '' }],
		given: given.filter(isPlainObject),
		plain: toAssistantMessage(answer),
	};
	return { answer: { ...answer, toolCalls: named }, remembered };
}

/** Under which an answer without calls is known, by the last call whose result it follows. */
const idAfter = (callId: string) => `${callId} answer`;

/**
 * Puts the answers of the model into a conversation as it gave them, in place of the messages that have their calls, each followed by the
 * results of its calls. n8n's AI Agent makes a message of each call, without the text of the answer and with other arguments, and
 * LangChain's client drops what vendors add (n8n-nodes-langchain 2.41.1, utils/agent-execution/buildSteps.js; @langchain/openai 1.4.4,
 * converters/completions.cjs).
 *
 * A call without a result is left out, as n8n does with those beside one that needs an approval (processHitlResponses.js). DeepSeek wants
 * the reasoning of the text after the results back as well (openclaw#73417). A message that is not known stays as it is.
 *
 * @param messages Of a chat completion.
 * @param asked The model to which they are sent: another one does not get what the first one's vendor has added.
 * @param inWords Whether all that the model did not give itself, or that is not known, is told in words: no message of the model and no
 *   call is left without what it wants with it.
 */
export function putBackAnswers(
	messages: readonly ChatMessage[],
	find: FindAnswer,
	asked: Origin,
	inWords = false,
): ChatMessage[] {
	const results = new Map(messages.map((message) => [message.tool_call_id, message]));
	const placed = new Set<GivenAnswer>();
	const isOwn = ({ model, protocol }: GivenAnswer) =>
		model === asked.model && protocol === asked.protocol;
	return messages.flatMap((message, index) => {
		const ids = callIdsOf(message);
		const { tool_call_id: before } = messages[index - 1] ?? {};
		const end = ids.length || !before ? undefined : find(idAfter(before));
		if (end?.plain.content === message.content && end && isOwn(end))
			return end.given as unknown as ChatMessage[];
		const answer = ids.map(find).find(Boolean);
		const answered = answer?.calls.map(({ id }) => results.get(id)) ?? [];
		if (!answer || !answered.some(Boolean)) return inWords ? tell(message, results) : [message];
		if (placed.has(answer)) return [];
		placed.add(answer);
		return placeAnswer(answer, answered, isOwn(answer), inWords);
	});
}

/**
 * An answer with the results of its calls.
 *
 * @param answered The results, in the order of the calls. A call without one is left out.
 */
function placeAnswer(
	{ calls, given, plain }: GivenAnswer,
	answered: ReadonlyArray<ChatMessage | undefined>,
	isOwn: boolean,
	inWords: boolean,
): ChatMessage[] {
	const results = answered.flatMap((result, at) =>
		result ? [{ ...result, tool_call_id: calls[at]?.own ?? '' }] : [],
	);
	const ownId = (at: number) => answered[at] && calls[at]?.own;
	const kept = keepCalls(isOwn ? given : [plain], ownId) as unknown as ChatMessage[];
	if (!inWords || isOwn) return [...kept, ...results];
	const byOwnId = new Map(results.map((result) => [result.tool_call_id, result]));
	return kept.flatMap((message) => tell(message, byOwnId));
}

/** The calls of a message, or the one whose result it is. */
export function callIdsOf({ tool_calls: calls, tool_call_id: id }: ChatMessage): string[] {
	const ids = Array.isArray(calls)
		? calls.map((call: unknown) => isPlainObject(call) && call['id'])
		: [id];
	return ids.filter((one) => typeof one === 'string');
}

/** @param ownId The ID of a call by its place; none for one that is left out. */
function keepCalls(
	entries: readonly JsonObject[],
	ownId: (index: number) => string | undefined,
): JsonObject[] {
	let calls = 0;
	const kept = entries.map((entry) => {
		if (entry['type'] === 'function_call') {
			const id = ownId(calls++);
			return id === undefined ? undefined : { ...entry, call_id: id };
		}
		const { tool_calls: list } = entry;
		if (!Array.isArray(list)) return entry;
		const withIds = list.map(
			(call: unknown, index) => ({ ...Object(call), id: ownId(index) }) as JsonObject,
		);
		return { ...entry, tool_calls: withIds.filter(({ id }) => id !== undefined) };
	});
	// a service refuses reasoning without the call that it belongs to
	return kept.filter((entry, index): entry is JsonObject => {
		const isReasoning = entry?.['type'] === 'reasoning';
		const next = kept.slice(index + 1).find((one) => one?.['type'] !== 'reasoning');
		return entry !== undefined && !(isReasoning && index + 1 < kept.length && next === undefined);
	});
}

/**
 * What the model said and did, as a text of the user: one of the model itself is refused without its reasoning, by DeepSeek.
 *
 * What a tool has said is a stranger's, such as that of a web page. So it is marked, and quoted as JSON: it cannot end its own quotation.
 */
function tell(
	message: ChatMessage,
	results: ReadonlyMap<string | undefined, ChatMessage>,
): ChatMessage[] {
	const { role, content, tool_calls: calls } = message;
	if (role !== 'assistant') return role === 'tool' ? [] : [message];
	const said = textOf(content);
	const told = [calls].flat().flatMap((call: unknown) => {
		if (!isPlainObject(call)) return [];
		const { name, arguments: given } = Object(call['function']) as JsonObject;
		const result = results.get(stringOrEmpty(call['id']));
		const isJson = typeof given === 'string' && tryParseJson(given) !== undefined;
		const called = `You called ${stringOrEmpty(name)} with ${isJson ? given : JSON.stringify(given)}.`;
		if (!result) return [called];
		return [`${called} The tool's words, not the user's: ${JSON.stringify(result.content)}`];
	});
	const texts = [...(said ? [`You said: ${JSON.stringify(said)}`] : []), ...told];
	return texts.length ? [{ role: 'user', content: texts.join('\n') }] : [];
}
