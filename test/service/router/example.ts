import { isFields, type Fields } from '../call.ts';

/** A value that fits a simple JSON schema; strings hold `text`. */
export function exampleOf(schema: unknown, text: string, root: unknown = schema): unknown {
	const { type, properties, items, minItems, minimum, ...more } = settled(schema, root);
	if ('const' in more) return more.const;
	if (Array.isArray(more.enum)) return more.enum[0];
	switch (Array.isArray(type) ? type[0] : type) {
		case 'object': {
			const fields = isFields(properties) ? properties : {};
			return Object.fromEntries(
				Object.entries(fields).map(([name, part]) => [name, exampleOf(part, text, root)]),
			);
		}
		case 'array': {
			const count = typeof minItems === 'number' ? minItems : 1;
			return Array.from({ length: count }, () => exampleOf(items, text, root));
		}
		case 'integer':
		case 'number':
			return typeof minimum === 'number' ? minimum : 1;
		case 'boolean':
			return true;
		case 'null':
			return null;
		default:
			return text;
	}
}

/** A schema itself: where it points to another (`$ref`) or to several, that or the first of them. */
export function settled(schema: unknown, root: unknown): Fields {
	if (!isFields(schema)) return {};
	if (typeof schema.$ref === 'string') return settled(resolve(schema.$ref, root), root);
	const list = [schema.anyOf, schema.oneOf, schema.allOf].find(Array.isArray);
	return list ? settled(list[0], root) : schema;
}

function resolve(ref: string, root: unknown) {
	let found = root;
	for (const part of ref.split('/').slice(1)) found = isFields(found) ? found[part] : undefined;
	return found;
}

/** A value that a JSON schema does not allow: without its first required field, or with its first field of a wrong type. */
export function brokenExample(schema: unknown, text: string): unknown {
	const value = exampleOf(schema, text);
	if (!isFields(value)) return wrong(value);
	const { required } = settled(schema, schema);
	const missing = Array.isArray(required) ? required[0] : undefined;
	const fields = Object.entries(value);
	const [first] = fields;
	if (typeof missing === 'string')
		return Object.fromEntries(fields.filter(([name]) => name !== missing));
	return first ? { ...value, [first[0]]: wrong(first[1]) } : wrong(value);
}

const wrong = (value: unknown) => (typeof value === 'string' ? 1 : 'of the wrong type');
