import { textOf } from '../core/extractText';
import type { Condition, Path } from './dialect';

/** An event as a row of the table sees it. */
export interface NamedEvent {
	name: string;
	value: unknown;
}

interface Step {
	/** Empty for a filter alone. */
	name: string;
	filter?: (entry: unknown) => boolean;
	/** The name as the position in a list. */
	index?: number;
}

const stepsByPath = new Map<Path, Step[]>();

/** The value at a path. Of a list, the values of its entries in one list. */
export function valueAt(value: unknown, path: Path): unknown {
	let steps = stepsByPath.get(path);
	if (!steps) stepsByPath.set(path, (steps = parsePath(path)));
	return follow(value, steps, 0);
}

/** The text at the first of these paths that has one. */
export function textAt(value: unknown, paths: Path | readonly Path[]): string {
	if (typeof paths === 'string') return textOf(valueAt(value, paths)) ?? '';
	for (const path of paths) {
		const text = textOf(valueAt(value, path));
		if (text) return text;
	}
	return '';
}

/** Whether there is a value at a path, and not an empty one. */
export function hasValueAt(value: unknown, path: Path): boolean {
	const found = valueAt(value, path);
	return Array.isArray(found) ? !found.every(isEmpty) : !isEmpty(found);
}

/** Whether a condition holds for an event. */
export function holds({ name, value }: NamedEvent, condition: Condition): boolean {
	for (const path in condition) {
		const expected = condition[path] ?? null;
		const found = path === '#' ? name : valueAt(value, path);
		const isMet = Array.isArray(found) ? matchesList(found, expected) : matches(found, expected);
		if (!isMet) return false;
	}
	return true;
}

function matches(found: unknown, expected: NonNullable<Condition[string]> | null): boolean {
	if (expected === null) return isEmpty(found);
	if (expected === '*') return !isEmpty(found);
	if (expected === String) return typeof found === 'string';
	return Array.isArray(expected) ? expected.includes(found as string) : found === expected;
}

const matchesList = (list: unknown[], expected: Condition[string] | null) =>
	expected === null ? list.every(isEmpty) : list.some((entry) => matches(entry, expected ?? null));

const isEmpty = (value: unknown) =>
	!value || (typeof value === 'object' && Object.keys(value).length === 0);

const parsePath = (path: Path): Step[] =>
	(path.match(/[^.[\]]+(\[[^\]]*\])?|\[[^\]]*\]/g) ?? []).map((text) => {
		const [, name = '', field, values = '', isOptional] =
			/^([^[]*)(?:\[([^=]+)=([^\]?]*)(\?)?\])?$/.exec(text) ?? [];
		const index = /^\d+$/.test(name) ? Number(name) : undefined;
		if (field === undefined) return { name, ...(index !== undefined && { index }) };
		const allowed = values.split('|');
		const steps = parsePath(field);
		const filter = (entry: unknown) => {
			const found = follow(entry, steps, 0);
			if (found === undefined) return isOptional !== undefined;
			return typeof found !== 'object' && allowed.includes(String(found));
		};
		return { name, filter };
	});

function follow(value: unknown, steps: readonly Step[], at: number): unknown {
	const step = steps[at];
	if (!step) return value;
	if (Array.isArray(value) && step.name !== '') return followAll(value, steps, at);
	const next = step.name === '' ? value : fieldOf(value, step.name);
	if (!step.filter) return follow(next, steps, at + 1);
	const kept = (Array.isArray(next) ? next : [next]).filter(step.filter);
	return followAll(kept, steps, at + 1);
}

/** The values of all entries in one list, or that of the only entry. The last step of a path gives a list as it is. */
function followAll(list: unknown[], steps: readonly Step[], at: number): unknown {
	const step = steps[at];
	if (!step) return list;
	if (step.index !== undefined) return follow(list[step.index], steps, at + 1);
	if (list.length === 1) return follow(list[0], steps, at);
	return list.flatMap((entry) => follow(entry, steps, at) ?? []);
}

function fieldOf(value: unknown, name: string): unknown {
	if (typeof value !== 'object' || value === null) return undefined;
	if (name === '*') return Object.values(value);
	return Object.hasOwn(value, name) ? (value as Record<string, unknown>)[name] : undefined;
}
