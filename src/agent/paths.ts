import { isPlainObject } from '../core/json';
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
		if (field === undefined) return { name };
		const allowed = values.split('|');
		const filter = (entry: unknown) => {
			const found = valueAt(entry, field);
			return found === undefined ? isOptional !== undefined : allowed.includes(String(found));
		};
		return { name, filter };
	});

function follow(value: unknown, steps: readonly Step[], at: number): unknown {
	const step = steps[at];
	if (!step) return value;
	const next = step.name === '' ? value : fieldOf(value, step.name);
	if (!step.filter)
		return Array.isArray(next) ? followAll(next, steps, at + 1) : follow(next, steps, at + 1);
	return followAll([next].flat().filter(step.filter), steps, at + 1);
}

/** The last step of a path gives a list as it is. */
function followAll(list: unknown[], steps: readonly Step[], at: number): unknown {
	const step = steps[at];
	if (!step) return list;
	if (/^\d+$/.test(step.name)) return follow(list[Number(step.name)], steps, at + 1);
	return list
		.map((entry) => follow(entry, steps, at))
		.flat()
		.filter((found) => found !== undefined);
}

function fieldOf(value: unknown, name: string): unknown {
	if (Array.isArray(value)) return followAll(value, [{ name }], 0);
	if (!isPlainObject(value)) return undefined;
	if (name === '*') return Object.values(value);
	return Object.hasOwn(value, name) ? value[name] : undefined;
}
