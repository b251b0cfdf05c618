import { isPlainObject, type JsonObject } from '../core/json';

/** A response may have several messages: one about what follows, and the answer (their `phase` says which). A summary may have several parts. */
export const BETWEEN_PARAGRAPHS = '\n\n';

/** Builds the text of a streamed response. */
export function createResponseText() {
	const chunks: string[] = [];
	/** The message whose text came last: its index, or its ID. */
	let last: unknown;
	/** Whether an item has ended since. */
	let hasEnded = false;

	return {
		/** @returns what a text of an event adds. */
		add(text: string, { output_index: index, item_id: id }: JsonObject): string {
			if (!text) return '';
			const place = index ?? id;
			const isKnown = place !== undefined && last !== undefined;
			const isOther = isKnown ? place !== last : hasEnded;
			const added = chunks.length > 0 && isOther ? BETWEEN_PARAGRAPHS + text : text;
			last = place;
			hasEnded = false;
			chunks.push(added);
			return added;
		},
		endItem(): void {
			hasEnded = true;
		},
		text: () => chunks.join(''),
	};
}

/** Whether an item is a message, which needs no type. */
export const isMessage = ({ type = 'message' }: JsonObject) => type === 'message';

/** The texts in this field, of all messages that have one. */
const textsOf = (output: readonly JsonObject[], field: 'text' | 'refusal'): string[] =>
	output
		.filter(isMessage)
		.map(({ content }) => contentParts(content).map((part) => part[field]))
		.map((parts) => parts.filter((part) => typeof part === 'string').join(''))
		.filter(Boolean);

export const contentParts = (content: unknown): JsonObject[] =>
	Array.isArray(content) ? content.filter(isPlainObject) : [{ text: content }];

export const finalTextOf = (output: readonly JsonObject[]): string =>
	textsOf(output, 'text').join(BETWEEN_PARAGRAPHS);

export const readRefusal = (output: readonly JsonObject[]): string =>
	textsOf(output, 'refusal').join('');

export const isCall = ({ type }: JsonObject) => type === 'function_call';

const isSaid = (item: JsonObject) => isMessage(item) || item['type'] === 'reasoning';

/**
 * The output of the response object, or the items that arrived one by one. Some services list nothing but messages at the end, and these may be
 * empty. A call that a gateway has run itself is listed as something else.
 *
 * @see sgl-project/sglang#12652, maximhq/bifrost#2120, BerriAI/litellm#40121
 */
export function mergeItems(output: unknown, arrived: JsonObject[]): JsonObject[] {
	const listed = Array.isArray(output) ? output.filter(isPlainObject) : [];
	const lacksCalls = arrived.some(isCall) && listed.every(isSaid);
	if (listed.length && !lacksCalls) return listed;
	// both are of messages only
	const messages = listed.filter((item) => finalTextOf([item]) || readRefusal([item]));
	if (!messages.length || finalTextOf(messages).length < finalTextOf(arrived).length)
		return arrived;
	const at = arrived.findIndex((item) => isMessage(item) || isCall(item));
	const rest = arrived.slice(at).filter((item) => !isMessage(item));
	return [...arrived.slice(0, at), ...messages, ...rest];
}
