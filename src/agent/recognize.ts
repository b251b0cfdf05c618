import { isPlainObject, type JsonObject } from '../core/json';
import type { Condition, Dialect } from './dialect';
import { isEnd, nameEvent, withoutEnvelope } from './dialectReader';
import { DIALECTS } from './dialects';
import type { ArrivedEvent } from './eventReader';
import { holds } from './paths';

/** A way to recognize a dialect: names that events have in one place, or a condition. */
interface Sign {
	dialect: Dialect;
	/** Whether it is looked for in the result of JSON-RPC. */
	isInner: boolean;
	/** A field that the event has to have, or `line`. */
	place: string;
	names?: RegExp;
	/** What the condition asks for in that place, if it does. */
	values?: readonly unknown[] | undefined;
	condition?: Condition;
}

/** The row that recognizes an event, if one does. Of several rows, the first counts. */
export function recognizeDialect(arrived: ArrivedEvent): Dialect | undefined {
	const { event, value } = arrived;
	const fields = (typeof value === 'object' && value ? value : {}) as JsonObject;
	const inner = 'jsonrpc' in fields && isPlainObject(fields['result']) ? fields['result'] : fields;
	// without calls, since most events of an unknown answer have no sign
	for (const sign of SIGNS) {
		const found = sign.place === 'line' ? event : (sign.isInner ? inner : fields)[sign.place];
		if (found === undefined || found === '') continue;
		if (sign.values && !sign.values.includes(found)) continue;
		const isKnown = sign.names
			? typeof found === 'string' && sign.names.test(found)
			: isMet(sign, arrived);
		if (isKnown) return sign.dialect;
	}
	return undefined;
}

function isMet({ dialect, condition = {} }: Sign, arrived: ArrivedEvent): boolean {
	if (dialect.isPlain && !arrived.isPlain) return false;
	const event = nameEvent(dialect, arrived);
	// a condition is about the whole event, also where its only field is its name
	const value = withoutEnvelope(dialect, arrived.value);
	return event !== undefined && holds({ name: event.name, value }, condition);
}

const SIGNS: readonly Sign[] = DIALECTS.flatMap(signsOf);

function signsOf(dialect: Dialect): Sign[] {
	const { by = [], nameUntil, knownBy, inJsonRpc: isInner = false } = dialect;
	const names = knownBy.filter((known) => typeof known === 'string');
	const escaped = names.map((name) => name.replace(/[.|/]/g, '\\$&').replace('*', '.*'));
	const pattern = new RegExp(`^(${escaped.join('|')})${nameUntil ? `(\\${nameUntil}|$)` : '$'}`);
	return [
		...[by].flat().map((place): Sign => ({ dialect, isInner, place, names: pattern })),
		...knownBy.flatMap((condition): Sign[] => {
			if (typeof condition === 'string') return [];
			const [path, expected] = Object.entries(condition)[0] ?? ['', null];
			const [place = '', ...below] = path === '#' ? ['line'] : path.split('.');
			const isValue = !below.length && expected !== '*' && typeof expected !== 'function';
			const values = isValue && expected !== null ? [expected].flat() : undefined;
			return [{ dialect, isInner, place, values, condition }];
		}),
	];
}

/** Whether the dialect always sends an end once it has opened a stream. */
export const hasOpening = ({ events }: Dialect): boolean =>
	Object.values(events)
		.flat()
		.some(({ opens }) => opens === 'stream');

/** The ends that a stream of the dialect has where the agent waits for nothing, for people: `"finish" or "[DONE]"`. */
export function endsOf({ events }: Dialect): string {
	const labels = Object.entries(events).flatMap(([name, meanings]) =>
		[meanings]
			.flat()
			.filter(({ ends, call, asks }) => !call && !asks && isEnd(ends))
			.map(({ if: condition = {} }) => {
				const [path = '', value] = Object.entries(condition)[0] ?? [];
				const [first] = [value].flat();
				const state = typeof first === 'string' && first !== '*' ? first : path.split('.').at(-1);
				if (!name) return state || 'a whole message';
				return name + (state ? ` (${state})` : '');
			}),
	);
	return [...new Set(labels)].map((label) => `"${label}"`).join(' or ');
}
