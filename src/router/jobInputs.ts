import { invalid } from '../service/errors';
import { isObject } from '../service/json';

/** A file or an address for one field of a job's start. */
export interface JobInput {
	/** Name of the field; dots lead into objects, and `[]` at the end makes a list of even one. */
	name: string;
	value: string;
}

/**
 * Puts inputs into the body of a start. Several of one name become a list; an object that is there already is added to.
 *
 * @throws ServiceError `invalid` for a name that cannot be, or that is taken.
 */
export function withInputs(
	body: Record<string, unknown>,
	inputs: readonly JobInput[],
): Record<string, unknown> {
	const byPath = new Map<string, { isList: boolean; values: string[] }>();
	for (const { name, value } of inputs) {
		const path = name.trim().replace(/\s*\[\s*\]$/, '');
		const field = byPath.get(path) ?? { isList: false, values: [] };
		field.values.push(value);
		field.isList ||= field.values.length > 1 || path !== name.trim();
		byPath.set(path, field);
	}
	return [...byPath].reduce(
		(rest, [path, { isList, values }]) => placed(rest, partsOf(path), isList ? values : values[0]),
		body,
	);
}

function partsOf(path: string): string[] {
	const parts = path.split('.').map((part) => part.trim());
	if (!path) throw invalid('Inputs: Parameter Name is empty');
	if (parts.some((part) => !part || part === '__proto__' || part === 'constructor')) {
		throw invalid(
			`Inputs: "${path}" cannot be the name of a parameter`,
			'It is a name such as "image", or names with dots between them, such as "reference.image".',
		);
	}
	return parts;
}

function placed(
	fields: Record<string, unknown>,
	[name = '', ...rest]: readonly string[],
	value: unknown,
	above = '',
): Record<string, unknown> {
	const path = above + name;
	const there = Object.hasOwn(fields, name);
	if (!rest.length) {
		if (there)
			throw invalid(`Inputs must not contain "${path}"`, 'It is set by another field or input.');
		return { ...fields, [name]: value };
	}
	const inner = there ? fields[name] : {};
	if (!isObject(inner)) {
		throw invalid(
			`Inputs: nothing can be put into "${path}"`,
			'It is set by another field or input, and is no object.',
		);
	}
	return { ...fields, [name]: placed(inner, rest, value, `${path}.`) };
}
