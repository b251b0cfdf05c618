import { isPlainObject } from '../core/json';
import type { Condition, Dialect } from './dialect';
import { nameEvent, type ArrivedEvent } from './dialectReader';
import { DIALECTS } from './dialects';
import { holds } from './paths';

/** A way to recognize a dialect. */
interface Sign {
	/** Position in the table. */
	rank: number;
	dialect: Dialect;
	/** A name, or its beginning before `*`. */
	name?: string;
	condition?: Condition;
}

/**
 * The row that recognizes an event, if one does. Of several rows, the first counts.
 *
 * Only the rows that depend on a field of the event are looked at: most events of an unknown answer belong to none.
 */
export function recognizeDialect(event: ArrivedEvent): Dialect | undefined {
	const { event: line, value } = event;
	let found: Sign | undefined;
	const look = (place: string) => {
		for (const sign of signs.get(place) ?? [])
			if ((!found || sign.rank < found.rank) && isSign(sign, event)) found = sign;
	};
	if (line) look('line');
	if (Array.isArray(value)) look('0');
	if (!isPlainObject(value)) return found?.dialect;
	for (const field in value) look(field);
	const inner = 'jsonrpc' in value ? value['result'] : undefined;
	if (isPlainObject(inner)) for (const field in inner) look(field);
	return found?.dialect;
}

function isSign({ dialect, name, condition }: Sign, arrived: ArrivedEvent): boolean {
	const event = nameEvent(dialect, arrived);
	if (!event) return false;
	if (name?.endsWith('*')) return event.name.startsWith(name.slice(0, -1));
	if (name !== undefined) return event.name === name;
	// conditions are about the whole event, also where its only field is its name
	const value =
		dialect.inJsonRpc && isPlainObject(arrived.value) && 'jsonrpc' in arrived.value
			? arrived.value['result']
			: arrived.value;
	return condition !== undefined && holds({ name: event.name, value }, condition);
}

const signs = new Map<string, Sign[]>();

/** Where to look for a sign: at the field of its first path, on the line, or in a list. */
function placesOf({ by = [] }: Dialect, sign: string | Condition): string[] {
	if (typeof sign === 'string') return [by].flat();
	const paths = Object.keys(sign);
	const path = paths.find((each) => each !== '#' && each !== '') ?? '#';
	return path === '#' ? ['line'] : [path.split('.')[0] ?? path];
}

for (const [rank, dialect] of DIALECTS.entries())
	for (const known of dialect.knownBy)
		for (const place of placesOf(dialect, known)) {
			const sign = typeof known === 'string' ? { name: known } : { condition: known };
			const list = signs.get(place) ?? [];
			signs.set(place, list);
			list.push({ rank, dialect, ...sign });
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
				const [path = 'a whole message', value] = Object.entries(condition)[0] ?? [];
				const [first] = [value].flat();
				const state = name && typeof first === 'string' && first !== '*' ? ` (${first})` : '';
				return (name || path.split('.').at(-1)) + state;
			}),
	);
	return [...new Set(labels)].map((label) => `"${label}"`).join(' or ');
}
