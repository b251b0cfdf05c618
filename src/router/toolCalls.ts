import { isObject, tryParseJson } from '../service/json';

type Call = Record<string, unknown>;

/** The tool calls of one message while their fragments arrive. */
export interface Calls {
	made: Map<number, Call>;
	/** Places of calls that are not where their index says. */
	places: Map<number, number>;
}

export const noCalls = (): Calls => ({ made: new Map(), places: new Map() });

export const inOrder = ({ made }: Calls): Call[] =>
	[...made].sort(([one], [other]) => one - other).map(([, call]) => call);

export const isMissing = (value: unknown) => value === undefined || value === null || value === '';

/** A call comes in fragments: its id and name first, then its arguments bit by bit. */
export function takeCall(calls: Calls, fragment: unknown, position: number): void {
	if (!isObject(fragment)) return;
	const index = placeIn(calls, fragment, position);
	const call = calls.made.get(index) ?? {};
	const { function: said, ...fields } = fragment;
	const known = isObject(call['function']) ? call['function'] : {};
	if (isObject(said)) {
		const given = said['arguments'];
		const written = known['arguments'] ?? '';
		call['function'] = {
			...known,
			...(isMissing(known['name']) && !isMissing(said['name']) && { name: said['name'] }),
			arguments:
				typeof given === 'string' ? `${String(written)}${given}` : writtenOut(given, written),
		};
	}
	for (const [name, value] of Object.entries(fields)) {
		if (name !== 'index' && !isMissing(value) && isMissing(call[name])) call[name] = value;
	}
	calls.made.set(index, call);
}

function placeIn({ made, places }: Calls, fragment: Call, position: number): number {
	const { id, index } = fragment;
	if (typeof index !== 'number') return placeOf(made, id, position);
	const place = places.get(index) ?? index;
	if (!isAnother(made.get(place), fragment)) return place;
	const own = placeOf(made, id, place);
	places.set(index, own);
	return own;
}

/** Some services give the same index to all calls: then a new id and name begin another one once the last is whole. */
function isAnother(call: Call = {}, { id, function: said }: Call): boolean {
	const { id: known, function: had } = call;
	if (isMissing(known) || isMissing(id) || known === id || !isObject(had)) return false;
	const isNamed = isObject(said) && !isMissing(said['name']);
	return isNamed && tryParseJson(String(had['arguments'])) !== undefined;
}

/** Some services leave the index out: then an id that is new begins a call, and what has none goes on with the last one. */
function placeOf(made: Calls['made'], id: unknown, position: number): number {
	const known = [...made].find(([, call]) => !isMissing(id) && call['id'] === id);
	if (known) return known[0];
	if (!made.has(position)) return position;
	const last = Math.max(...made.keys());
	return isMissing(id) ? last : last + 1;
}

const writtenOut = (given: unknown, otherwise: unknown) =>
	isObject(given) || Array.isArray(given) ? JSON.stringify(given) : otherwise;
