import { isMissing, isPlainObject, type JsonObject, tryParseJson } from '../core/json';
import { checkCount } from './textAnswer';

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

/** Adds a field beside the message of a choice to what it is so far. */
export function mergeField(existing: unknown, value: unknown, name: string): unknown {
	if (!isPlainObject(value)) return value;
	// what Azure's filter finds in a piece is whole: dto-btn/ssc-assistant (simple_chat.ts)
	return name === 'logprobs' ? mergePiece(existing, value) : { ...Object(existing), ...value };
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

type PartialCall = JsonObject;

/** Characters after which calls are no longer checked for completeness: a new id then begins another call. */
const MAX_PARSED_CHARACTERS = 16 * 1024 * 1024;

/** A choice of which chunks are still arriving. */
export interface PartialChoice {
	index: number;
	/** Fields beside the delta, such as `finish_reason`. */
	fields: JsonObject;
	/** The texts of `content`. */
	contentChunks: string[];
	/** What is said in its sound. */
	spokenChunks: string[];
	/** Whether that is its text: the first that came. A service may write some of what it says, too. */
	isSpoken?: boolean;
	/** Every field of the message but its calls. `content` only where it is empty, or has parts. */
	message: JsonObject;
	calls?: PartialCalls;
	/** A message that came in one piece. */
	whole?: JsonObject | undefined;
}

/** The tool calls of one message, of which fragments are still arriving. */
export type PartialCalls = ReturnType<typeof createPartialCalls>;

export const createPartialCalls = () => ({
	byPosition: new Map<number, PartialCall>(),
	/** Positions of calls that differ from their index. */
	positionByIndex: new Map<number, number>(),
	positionById: new Map<unknown, number>(),
	/** By position: the arguments, if a piece that begins with all before it is said anew. Of two functions, they are no JSON. */
	restated: new Map<number, string>(),
	/** The highest position; -1 if there is none. */
	lastPosition: -1,
	/** Characters that have been parsed to check whether a call is complete. */
	parsedCharacters: 0,
});

/**
 * A call that comes once more with its ID, at another index, is one: mudler/LocalAI#9722.
 *
 * @param isCut Whether the answer ends within a call: then none is made whole.
 */
export function sortCalls({ byPosition, restated }: PartialCalls, isCut: boolean): PartialCall[] {
	const seen = new Set<string>();
	return [...byPosition]
		.sort(([one], [other]) => one - other)
		.map(([position, call]) => (isCut ? call : withRestated(call, restated.get(position))))
		.filter((call) => isMissing(call['id']) || seen.size < seen.add(JSON.stringify(call)).size);
}

/**
 * A call whose pieces are no JSON one after the other, and are some if each that begins with all before it replaces that.
 *
 * @see NousResearch/hermes-agent#35718 (Qianfan), anomalyco/opencode#17339 (GLM), lidge-jun/opencodex#361, smallmain/vscode-unify-chat-provider#48 (Gemini: "{}" first)
 */
function withRestated(call: PartialCall, restated = ''): PartialCall {
	const called = Object(call['function']) as JsonObject;
	const written = called['arguments'];
	if (restated === written || !isPlainObject(tryParseJson(restated))) return call;
	if (typeof written !== 'string' || tryParseJson(written) !== undefined) return call;
	return { ...call, function: { ...called, arguments: restated } };
}

/** What the arguments are with this fragment. @param call Its function, as is `fragment`. */
function restate(before: string, call: unknown, fragment: unknown): string {
	const { name, arguments: piece = '' } = Object(fragment) as JsonObject;
	// what begins so is never JSON
	if (!isMissing(name) && name !== Object(call).name) return '}';
	if (typeof piece !== 'string') return before;
	const isAnew = before === '{}' ? piece.startsWith('{') : piece.startsWith(before);
	return isAnew ? piece : before + piece;
}

/** Adds a fragment of a call: the first has its id and name, the following ones its arguments in parts. */
export function addCallFragment(calls: PartialCalls, fragment: unknown, position: number): void {
	if (!isPlainObject(fragment)) return;
	const index = findPosition(calls, fragment, position);
	const call = calls.byPosition.get(index) ?? {};
	for (const [name, value] of Object.entries(fragment)) {
		const inParts = IN_PARTS.get(name);
		if (inParts && isPlainObject(value)) call[name] = mergeParts(call[name], value, inParts);
		else if (name !== 'function' && name !== 'index') add(call, name, value);
	}
	const before = calls.restated.get(index) ?? '';
	calls.restated.set(index, restate(before, call['function'], fragment['function']));
	calls.byPosition.set(index, call);
	calls.lastPosition = Math.max(calls.lastPosition, index);
	if (!isMissing(call['id']) && !calls.positionById.has(call['id']))
		calls.positionById.set(call['id'], index);
	checkCount(calls.byPosition.size, 'tool calls');
}

/** The first value counts. An empty one is kept until another comes. Objects are merged: a signature may come with a later fragment. */
function add(call: PartialCall, name: string, value: unknown): void {
	const existing = Object.hasOwn(call, name) ? call[name] : undefined;
	if (isPlainObject(existing) && isPlainObject(value))
		for (const [field, one] of Object.entries(value)) add(existing, field, one);
	else if (isMissing(existing)) call[name] = value;
}

/** What of a call arrives in parts, or as a value. A custom tool: openai/openai-openapi#576. */
const IN_PARTS: ReadonlyMap<string, string> = new Map([
	['function', 'arguments'],
	['custom', 'input'],
]);

/** Changes `existing` in place. */
function mergeParts(existing: unknown, fragment: PartialCall, inParts: string): PartialCall {
	const merged: PartialCall = isPlainObject(existing) ? existing : {};
	const { [inParts]: added, ...fields } = fragment;
	for (const [name, value] of Object.entries(fields)) add(merged, name, value);
	const written = merged[inParts] ?? '';
	const isValue = isPlainObject(added) || Array.isArray(added);
	const value = isValue ? JSON.stringify(added) : written;
	merged[inParts] = typeof added === 'string' ? `${String(written)}${added}` : value;
	return merged;
}

function findPosition(calls: PartialCalls, fragment: PartialCall, position: number): number {
	const { id, index } = fragment;
	if (typeof index !== 'number') return findPositionById(calls, id, position);
	const knownPosition = calls.positionByIndex.get(index) ?? index;
	if (!startsNewCall(calls, calls.byPosition.get(knownPosition), fragment)) return knownPosition;
	const ownPosition = findPositionById(calls, id, knownPosition);
	calls.positionByIndex.set(index, ownPosition);
	return ownPosition;
}

/** Some services send the same index for all calls: then a new id and name begin another call once the last is complete. */
function startsNewCall(
	calls: PartialCalls,
	call: PartialCall = {},
	{ id, function: fragmentFunction }: PartialCall,
): boolean {
	const { id: existingId, function: existingFunction } = call;
	const isOther = !isMissing(existingId) && !isMissing(id) && existingId !== id;
	const { name } = Object(fragmentFunction) as JsonObject;
	if (!isOther || isMissing(name)) return false;
	const { name: existingName, arguments: existing } = Object(existingFunction) as JsonObject;
	// arguments that are none are complete, too, once another function is called: maximhq/bifrost#1961
	if (existing === '' && existingName && existingName !== name) return true;
	const existingArguments = String(existing);
	calls.parsedCharacters += existingArguments.length;
	const isUnchecked = calls.parsedCharacters > MAX_PARSED_CHARACTERS;
	return isUnchecked || tryParseJson(existingArguments) !== undefined;
}

/** Some services omit the index: then a new id begins a call, and a fragment without an id continues the last one. */
function findPositionById(
	{ byPosition, positionById, lastPosition }: PartialCalls,
	id: unknown,
	position: number,
): number {
	const known = isMissing(id) ? undefined : positionById.get(id);
	if (known !== undefined) return known;
	if (!byPosition.has(position)) return position;
	return isMissing(id) ? lastPosition : lastPosition + 1;
}
