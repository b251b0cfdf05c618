import { isPlainObject, type JsonObject, tryParseJson } from '../core/json';
import { checkCount, isMissing } from './textAnswer';

type PartialCall = JsonObject;

/** Characters after which calls are no longer checked for completeness: a new id then begins another call. */
const MAX_PARSED_CHARACTERS = 16 * 1024 * 1024;

/** The tool calls of one message, of which fragments are still arriving. */
export type PartialCalls = ReturnType<typeof createPartialCalls>;

export const createPartialCalls = () => ({
	byPosition: new Map<number, PartialCall>(),
	/** Positions of calls that differ from their index. */
	positionByIndex: new Map<number, number>(),
	positionById: new Map<unknown, number>(),
	/** The highest position; -1 if there is none. */
	lastPosition: -1,
	/** Characters that have been parsed to check whether a call is complete. */
	parsedCharacters: 0,
});

export const sortCalls = ({ byPosition }: PartialCalls): PartialCall[] =>
	[...byPosition].sort(([one], [other]) => one - other).map(([, call]) => call);

/** Adds a fragment of a call: the first has its id and name, the following ones its arguments in parts. */
export function addCallFragment(calls: PartialCalls, fragment: unknown, position: number): void {
	if (!isPlainObject(fragment)) return;
	const index = findPosition(calls, fragment, position);
	const call = calls.byPosition.get(index) ?? {};
	for (const [name, value] of Object.entries(fragment)) {
		if (name === 'function' && isPlainObject(value)) call[name] = mergeFunction(call[name], value);
		else if (name !== 'function' && name !== 'index') add(call, name, value);
	}
	calls.byPosition.set(index, call);
	calls.lastPosition = Math.max(calls.lastPosition, index);
	if (!isMissing(call['id']) && !calls.positionById.has(call['id']))
		calls.positionById.set(call['id'], index);
	checkCount(calls.byPosition.size, 'tool calls');
}

/** The first value counts. An empty one is kept until another comes. Objects are merged: a signature may come with a later fragment. */
function add(call: PartialCall, name: string, value: unknown): void {
	const existing = call[name];
	if (isPlainObject(existing) && isPlainObject(value))
		for (const [field, one] of Object.entries(value)) add(existing, field, one);
	else if (isMissing(existing)) call[name] = value;
}

/** Arguments arrive in parts, or as a value. Changes `existing` in place. */
function mergeFunction(existing: unknown, fragment: PartialCall): PartialCall {
	const merged: PartialCall = isPlainObject(existing) ? existing : {};
	const { arguments: added, ...fields } = fragment;
	for (const [name, value] of Object.entries(fields)) add(merged, name, value);
	const written = merged['arguments'] ?? '';
	merged['arguments'] =
		typeof added === 'string' ? `${String(written)}${added}` : stringifyArguments(added, written);
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
	if (!isOther || isMissing(Object(fragmentFunction).name)) return false;
	const existingArguments = String(Object(existingFunction).arguments);
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

const stringifyArguments = (value: unknown, otherwise: unknown) =>
	isPlainObject(value) || Array.isArray(value) ? JSON.stringify(value) : otherwise;
