import { isPlainObject, type JsonObject } from '../core/json';
import { isMissing } from './textAnswer';

/**
 * Fields that name an entry, or are whole. Its pieces repeat them, so they are no texts that go on.
 *
 * @see https://github.com/openai/openai-python/blob/main/src/openai/lib/streaming/_deltas.py
 * @see https://openrouter.ai/docs/guides/best-practices/reasoning-tokens for the format and the ID
 * @see https://openrouter.ai/docs/features/multimodal/image-generation for the address
 */
const LABELS = ['index', 'type', 'role', 'format', 'id', 'url'];

/** How many entries and fields are looked at for each piece. With all of them, an answer that has many would take minutes. */
const REACH = 100;

const isLabel = (name: string) => LABELS.includes(name);

/**
 * Adds a piece to a value of a message: texts are appended, objects merged field by field, lists entry by entry. Of any other value, the
 * last counts. What is empty is kept, unless something comes. Changes `existing` in place.
 *
 * @param existing Undefined for the first piece.
 */
export function mergePiece(existing: unknown, piece: unknown, name = ''): unknown {
	if (isMissing(piece)) return existing === undefined ? piece : existing;
	if (isMissing(existing)) return piece;
	if (typeof existing === 'string' && typeof piece === 'string')
		return isLabel(name) ? piece : existing + piece;
	if (Array.isArray(existing) && Array.isArray(piece)) {
		for (const entry of piece) addEntry(existing, entry);
		return existing;
	}
	if (!isPlainObject(existing) || !isPlainObject(piece)) return piece;
	for (const [field, value] of Object.entries(piece))
		existing[field] = mergePiece(existing[field], value, field);
	return existing;
}

function addEntry(entries: unknown[], piece: unknown): void {
	const known = isPlainObject(piece) ? findEntry(entries, piece) : undefined;
	if (!known) return void entries.push(piece);
	if (!isPlainObject(piece) || !isText(piece)) texts.delete(known);
	mergePiece(known, piece);
}

/** Entries that were found to consist of texts, so that none is looked at again for each of its pieces. */
const texts = new WeakSet<JsonObject>();

function isKnownText(entry: JsonObject): boolean {
	if (!texts.has(entry) && isText(entry)) texts.add(entry);
	return texts.has(entry);
}

/**
 * The entry that a piece continues: the one with its index and no other label; without an index, the last one, if both are texts of one
 * type, and the piece does not go back behind its last text. LiteLLM sends blocks of thinking so, and Mistral parts of a content.
 */
function findEntry(entries: unknown[], piece: JsonObject) {
	const isSame = (entry: unknown): entry is JsonObject =>
		isPlainObject(entry) &&
		// what is encrypted comes whole: https://github.com/openai/openai-agents-python/pull/4175
		['data', ...LABELS].every(
			(label) =>
				isMissing(entry[label]) || isMissing(piece[label]) || entry[label] === piece[label],
		);
	if (typeof piece['index'] === 'number')
		return entries
			.slice(-REACH)
			.filter(isSame)
			.find(({ index }) => index === piece['index']);
	const last = entries.at(-1);
	if (!piece['type'] || !isSame(last) || !isKnownText(last) || !isText(piece)) return undefined;
	// after a signature, another thinking begins: https://github.com/BerriAI/litellm/issues/29428
	const order = Object.keys({ ...last, ...piece });
	if (order.length > REACH) return undefined;
	const begun = order.indexOf(textsOf(last).at(-1) ?? '');
	const [first = ''] = textsOf(piece);
	return first && order.indexOf(first) < begun ? undefined : last;
}

/** The names of the texts of an entry that have something. */
const textsOf = (entry: JsonObject): string[] =>
	Object.keys(entry).filter(
		(name) => !isLabel(name) && !isMissing(entry[name]) && typeof entry[name] !== 'boolean',
	);

/** Whether an entry consists of texts, or of entries that do. Sources of an answer, for example, do not. */
const isText = (entry: JsonObject): boolean =>
	Object.values(entry).every(
		(value) =>
			value === null ||
			['string', 'boolean'].includes(typeof value) ||
			(Array.isArray(value) && value.every((one) => isPlainObject(one) && isText(one))),
	);
