import { isPlainObject } from '../core/json';
import { type ChatMessage, toAssistantMessage } from './messages';
import type { TextAnswer } from './textAnswer';

type Fields = Record<string, unknown>;

/** Whom an answer is from, and in which form. */
interface Origin {
	/** As it was asked for. */
	model: string;
	/** A text of its own for each protocol. */
	protocol: string;
}

/** An answer that calls tools, as the model gave it. Plain data. */
export interface GivenAnswer extends Origin {
	/** The calls in their order: the ID by which they are known in n8n, and the model's own. */
	calls: Array<{ id: string; own: string }>;
	/** What comes back to the model: its message, or its output items. */
	given: Fields[];
	/** What comes back to another model: its text and its calls, as a message of chat completions. */
	plain: ChatMessage;
}

/** Finds an answer by the ID of one of its calls. */
type FindAnswer = (id: string) => GivenAnswer | undefined;

/**
 * Gives each call of an answer an ID that no other call has: IDs of models, such as `call_0`, are there in every conversation.
 *
 * @param given As it came.
 * @returns the answer with these IDs, and what is to be remembered of it.
 */
export function nameCalls<Answer extends TextAnswer>(
	answer: Answer,
	given: readonly unknown[],
	origin: Origin,
	createId: () => string,
): { answer: Answer; remembered: GivenAnswer } {
	const calls = answer.toolCalls.map(({ id: own }) => {
		const id = createId();
		return { id, own: own || id };
	});
	const named = answer.toolCalls.map((call, index) => ({ ...call, id: calls[index]?.id ?? '' }));
	const remembered = {
		...origin,
		calls,
		given: given.filter(isPlainObject),
		plain: toAssistantMessage(answer),
	};
	return { answer: { ...answer, toolCalls: named }, remembered };
}

/**
 * Puts the answers of the model into a conversation as it gave them, in place of the messages that have their calls, each followed by the
 * results of its calls. n8n's AI Agent makes a message of each call, without the text of the answer and with other arguments, and
 * LangChain's client drops what vendors add (n8n-nodes-langchain 2.41.1, utils/agent-execution/buildSteps.js; @langchain/openai 1.4.4,
 * converters/completions.cjs).
 *
 * A call without a result is left out, as n8n does with those beside one that needs an approval (processHitlResponses.js). A message that
 * is not known stays as it is.
 *
 * @param messages Of a chat completion.
 * @param asked The model to which they are sent: another one does not get what the first one's vendor has added.
 * @param inWords Whether calls that are not known are told in words.
 */
export function putBackAnswers(
	messages: readonly ChatMessage[],
	find: FindAnswer,
	asked: Origin,
	inWords = false,
): ChatMessage[] {
	const results = new Map(messages.map((message) => [message.tool_call_id, message]));
	const placed = new Set<GivenAnswer>();
	return messages.flatMap((message) => {
		const answer = callIdsOf(message).map(find).find(Boolean);
		if (!answer) return inWords ? tellCalls(message, results) : [message];
		const answered = answer.calls.map(({ id }) => results.get(id));
		if (!answered.some(Boolean)) return [message];
		if (placed.has(answer)) return [];
		placed.add(answer);
		const ownResults = answered.flatMap((result, index) =>
			result ? [{ ...result, tool_call_id: answer.calls[index]?.own ?? '' }] : [],
		);
		const isOwn = answer.model === asked.model && answer.protocol === asked.protocol;
		const entries = isOwn ? answer.given : [answer.plain];
		const kept = keepCalls(entries, (index) => answered[index] && answer.calls[index]?.own);
		return [...(kept as unknown as ChatMessage[]), ...ownResults];
	});
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
	entries: readonly Fields[],
	ownId: (index: number) => string | undefined,
): Fields[] {
	let calls = 0;
	const kept = entries.map((entry) => {
		if (entry['type'] === 'function_call') {
			const id = ownId(calls++);
			return id === undefined ? undefined : { ...entry, call_id: id };
		}
		const { tool_calls: list } = entry;
		if (!Array.isArray(list)) return entry;
		const withIds = list.map(
			(call: unknown, index) => ({ ...Object(call), id: ownId(index) }) as Fields,
		);
		return { ...entry, tool_calls: withIds.filter(({ id }) => id !== undefined) };
	});
	// a service refuses reasoning without the call that it belongs to
	return kept.filter((entry, index): entry is Fields => {
		const isReasoning = entry?.['type'] === 'reasoning';
		const next = kept.slice(index + 1).find((one) => one?.['type'] !== 'reasoning');
		return entry !== undefined && !(isReasoning && index + 1 < kept.length && next === undefined);
	});
}

/** A step of tools as a text of the assistant. */
function tellCalls(
	message: ChatMessage,
	results: ReadonlyMap<string | undefined, ChatMessage>,
): ChatMessage[] {
	const { role, content, tool_calls: calls } = message;
	if (role === 'tool') return [];
	if (!Array.isArray(calls) || !calls.length) return [message];
	const told = calls.filter(isPlainObject).map(({ id, function: called }) => {
		const { name, arguments: given } = isPlainObject(called) ? called : {};
		const answered = results.get(String(id))?.content ?? '';
		const text = typeof answered === 'string' ? answered : JSON.stringify(answered);
		return `${String(name)} was called with ${String(given)}. It answered: ${text}`;
	});
	const text = typeof content === 'string' && content ? [content] : [];
	return [{ role: 'assistant', content: [...text, ...told].join('\n') }];
}
