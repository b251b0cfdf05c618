import { isPlainObject } from '../core/json';
import type { Condition, Dialect } from './dialect';
import { nameEvent, withoutEnvelope, type ArrivedEvent } from './dialectReader';
import { DIALECTS } from './dialects';
import { holds } from './paths';

/** A way to recognize a dialect. */
interface Sign<Known = string | Condition> {
	/** Position in the table. */
	rank: number;
	dialect: Dialect;
	known: Known;
}

/** By a field, or by a field and its value: `type=start-step`. Most events of an unknown answer have none of them. */
const signs = new Map<string, Sign[]>();
/** Beginnings of names, by the field that has the name. */
const beginnings = new Map<string, Array<Sign<string>>>();

/** The row that recognizes an event, if one does. Of several rows, the first counts. */
export function recognizeDialect(event: ArrivedEvent): Dialect | undefined {
	const { event: line, value } = event;
	const found = signs.has(`line=${line}`) ? findSign(event, 'line', line) : undefined;
	if (typeof value !== 'object' || value === null) return found?.dialect;
	const { jsonrpc, result } = value as Record<string, unknown>;
	const first = findSignIn(event, value, found);
	if (jsonrpc === undefined || !isPlainObject(result)) return first?.dialect;
	return findSignIn(event, result, first)?.dialect;
}

function findSignIn(event: ArrivedEvent, fields: object, before: Sign | undefined) {
	let found = before;
	for (const [field, text] of Object.entries(fields)) {
		// most fields of most answers are no sign
		let isKnown = signs.has(field);
		if (typeof text === 'string') {
			isKnown ||= signs.has(`${field}=${text}`);
			for (const { known } of beginnings.get(field) ?? [])
				isKnown ||= text.startsWith(known.slice(0, -1));
		}
		if (isKnown) found = findSign(event, field, text, found);
	}
	return found;
}

/** The first sign of an event: one at this place, or the one before. */
function findSign(event: ArrivedEvent, place: string, value: unknown, before?: Sign) {
	const text = typeof value === 'string' ? value : '';
	const isFound = (sign: Sign) => (!found || sign.rank < found.rank) && isSign(sign, event);
	let found = before;
	for (const key of [place, `${place}=${text}`])
		for (const sign of signs.get(key) ?? []) if (isFound(sign)) found = sign;
	for (const sign of beginnings.get(place) ?? [])
		if (text.startsWith(sign.known.slice(0, -1)) && isFound(sign)) found = sign;
	return found;
}

function isSign({ dialect, known }: Sign, arrived: ArrivedEvent): boolean {
	const event = nameEvent(dialect, arrived);
	if (!event) return false;
	if (typeof known === 'string')
		return known.endsWith('*') ? event.name.startsWith(known.slice(0, -1)) : event.name === known;
	// a condition is about the whole event, also where its only field is its name
	return holds({ name: event.name, value: withoutEnvelope(dialect, arrived.value) }, known);
}

/** Where to look for a sign. */
function placesOf({ by = [] }: Dialect, known: string | Condition): string[] {
	if (typeof known === 'string')
		return [by].flat().map((place) => (place === 'onlyField' ? known : `${place}=${known}`));
	const [path = ''] = Object.keys(known).filter((each) => each !== '#' && each !== '');
	const value = known[path];
	const values = [value].flat().filter((each) => typeof each === 'string' && each !== '*');
	if (!path) return [`line=${String(known['#'])}`];
	if (values.length && !path.includes('.')) return values.map((each) => `${path}=${String(each)}`);
	return [path.split('.')[0] ?? path];
}

for (const [rank, dialect] of DIALECTS.entries())
	for (const known of dialect.knownBy)
		if (typeof known === 'string' && known.endsWith('*'))
			for (const place of [dialect.by ?? ''].flat())
				addTo(beginnings, place, { rank, dialect, known });
		else
			for (const place of placesOf(dialect, known)) addTo(signs, place, { rank, dialect, known });

function addTo<Entry>(lists: Map<string, Entry[]>, place: string, entry: Entry): void {
	lists.set(place, [...(lists.get(place) ?? []), entry]);
}

/** Whether the dialect always sends an end once it has opened a stream. */
export const hasOpening = ({ events }: Dialect): boolean =>
	Object.values(events)
		.flat()
		.some(({ opens }) => opens === 'stream');

/** The ends that a stream of the dialect has, for people: `"finish" or "[DONE]"`. */
export function endsOf({ events }: Dialect): string {
	const labels = Object.entries(events).flatMap(([name, meanings]) =>
		[meanings]
			.flat()
			.filter(({ ends }) => ends === 'stream' || ends === 'answer')
			.map(({ if: condition = {} }) => {
				const [path = '', value] = Object.entries(condition)[0] ?? [];
				const [first] = [value].flat();
				const state = typeof first === 'string' && first !== '*' ? first : path.split('.').at(-1);
				if (!name) return path.split('.').at(-1) || 'a whole message';
				return name + (state ? ` (${state})` : '');
			}),
	);
	return [...new Set(labels)].map((label) => `"${label}"`).join(' or ');
}
