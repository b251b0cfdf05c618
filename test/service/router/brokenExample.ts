import { isFields } from '../call.ts';
import { exampleOf, settled } from './example.ts';

/**
 * A value that a JSON schema does not allow: its first required field is missing, or its first field
 * has the wrong type; anything but an object has the wrong type itself.
 *
 * @param how `type` leaves no field out, even where one is required.
 */
export function brokenExample(schema: unknown, text: string, how?: string): unknown {
	const value = exampleOf(schema, text);
	const { required, properties } = settled(schema, schema);
	if (!isFields(value)) return wrong(schema, schema);
	const missing = Array.isArray(required) ? required[0] : undefined;
	if (typeof missing === 'string' && how !== 'type') {
		return Object.fromEntries(Object.entries(value).filter(([name]) => name !== missing));
	}
	const [first] = Object.entries(isFields(properties) ? properties : {});
	if (!first) return wrong(schema, schema);
	return { ...value, [first[0]]: wrong(first[1], schema) };
}

const VALUES: Array<[type: string, value: unknown]> = [
	['string', 'of the wrong type'],
	['number', 1],
	['boolean', true],
	['null', null],
];

function wrong(schema: unknown, root: unknown): unknown {
	const allowed = typesOf(schema, root);
	return VALUES.find(([type]) => !allowed.includes(type))?.[1];
}

/** The types of all that a schema may allow; an integer is a number. */
function typesOf(schema: unknown, root: unknown): string[] {
	if (!isFields(schema)) return [];
	if ('const' in schema) return [typeOf(schema.const)];
	if (Array.isArray(schema.enum)) return schema.enum.map(typeOf);
	for (const list of [schema.anyOf, schema.oneOf, schema.allOf]) {
		if (Array.isArray(list)) return list.flatMap((part) => typesOf(part, root));
	}
	const { type } = settled(schema, root);
	return [type].flat().map((name) => (name === 'integer' ? 'number' : String(name)));
}

const typeOf = (value: unknown): string => (value === null ? 'null' : typeof value);
