import { isOthers, textOf } from '../core/extractText';
import { isEmptyValue, isPresent } from '../core/json';
import type { Call, Condition, Path, Paths } from './dialect';

/** An event as a row of the table sees it. */
export interface NamedEvent {
	name: string;
	value: unknown;
}

/** A step of a path: a field, a position in a list, or entries of a list that have one of these values in a field. */
interface Step {
	name: string;
	field?: string;
	/** Whether they have to have it. */
	isNeeded?: boolean;
	values?: readonly string[];
}

const stepsByPath = new Map<Path, Step[]>();

/** The value at a path. Of a list, the values of its entries in one list. */
export const valueAt = (value: unknown, path: Path): unknown => follow(value, stepsOf(path), 0);

/** The text at the first of these paths that has one. */
export function textAt(value: unknown, paths: Paths): string {
	return findTextAt(value, paths, () => false);
}

/** The same without what someone else says. Of the event and of all that is on the way to the text, each may name its role. */
export function saidAt(value: unknown, paths: Paths): string {
	return findTextAt(value, paths, isOthers);
}

function findTextAt(value: unknown, paths: Paths, isLeftOut: Way['isLeftOut']) {
	for (const path of typeof paths === 'string' ? [paths] : paths) {
		const text = textOf(follow(value, stepsOf(path), 0, { isLeftOut, join: asParagraphs }));
		if (text) return text;
	}
	return '';
}

/** The same for a question: with nothing but fields, as of an approval, it is these as JSON. */
export function questionAt(value: unknown, paths: Paths): string {
	const fields = [paths].flat().map((path) => valueAt(value, path));
	return textAt(value, paths) || JSON.stringify(fields.find((found) => !isEmptyValue(found))) || '';
}

/** The calls in an event, or the questions. */
export const entriesOf = (value: unknown, { each }: Call = {}): unknown[] =>
	(each === undefined ? [value] : [valueAt(value, each)].flat()).filter(isPresent);

/** Whether there is a value at a path, and not an empty one. */
export function hasValueAt(value: unknown, path: Path): boolean {
	const found = valueAt(value, path);
	return Array.isArray(found) ? !found.every(isEmptyValue) : !isEmptyValue(found);
}

/** Whether a condition holds for an event. */
export function holds({ name, value }: NamedEvent, condition: Condition): boolean {
	for (const path in condition) {
		const expected = condition[path] ?? null;
		const found = path === '#' ? name : valueAt(value, path);
		const list = Array.isArray(found) ? found : [found];
		const isMet =
			expected === null ? list.every(isEmptyValue) : list.some((entry) => matches(entry, expected));
		if (!isMet) return false;
	}
	return true;
}

function matches(found: unknown, expected: NonNullable<Condition[string]>): boolean {
	if (expected === '*') return !isEmptyValue(found);
	if (expected === String) return typeof found === 'string';
	return Array.isArray(expected) ? expected.includes(found as string) : found === expected;
}

function stepsOf(path: Path): readonly Step[] {
	let steps = stepsByPath.get(path);
	if (!steps) stepsByPath.set(path, (steps = parsePath(path)));
	return steps;
}

/** `a.b[type=x|y].c`: each entry of a filter is a step of its own. */
const parsePath = (path: Path): Step[] =>
	(path.match(/[^.[\]]+|\[[^\]]*\]/g) ?? []).map((name) => {
		const [, field, sign, values = ''] = /^\[([^=]+)(==?)(.*)\]$/.exec(name) ?? [];
		const isNeeded = sign === '==';
		return field === undefined ? { name } : { name, field, isNeeded, values: values.split('|') };
	});

interface Way {
	/** Tells a value on the way that counts as absent. */
	isLeftOut(value: unknown): boolean;
	/** Joins what is found in several entries. */
	join(found: readonly unknown[]): unknown;
}

const ALL: Way = {
	isLeftOut: () => false,
	join: (found) => found.flatMap((one) => one ?? []),
};

/** Texts in several entries are messages of their own. */
const asParagraphs = (found: readonly unknown[]): string =>
	found.map(textOf).filter(Boolean).join('\n\n');

function follow(value: unknown, steps: readonly Step[], at: number, way = ALL): unknown {
	if (way.isLeftOut(value)) return undefined;
	const step = steps[at];
	if (!step) return value;
	const { name, field, isNeeded = false, values = [] } = step;
	if (field !== undefined) {
		const kept = (Array.isArray(value) ? value : [value]).filter((entry) => {
			const found = fieldOf(entry, field);
			if (!isPresent(found)) return !isNeeded;
			return typeof found !== 'object' && values.includes(String(found));
		});
		return follow(kept, steps, at + 1, way);
	}
	if (!Array.isArray(value) || POSITION.test(name)) {
		const found = fieldOf(value, name);
		const isLast = name === '*' && at + 1 === steps.length;
		return isLast && Array.isArray(found) ? way.join(found) : follow(found, steps, at + 1, way);
	}
	// of the only entry, a list remains a list
	if (value.length === 1) return follow(value[0], steps, at, way);
	return way.join(value.map((entry) => follow(entry, steps, at, way)));
}

const POSITION = /^\d+$/;

function fieldOf(value: unknown, name: string): unknown {
	if (typeof value !== 'object' || value === null) return undefined;
	if (name === '*') return Object.values(value);
	return Object.hasOwn(value, name) ? (value as Record<string, unknown>)[name] : undefined;
}
