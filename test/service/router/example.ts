import { isFields } from '../call.ts';

/** A value that fits a simple JSON schema; strings hold `text`. */
export function exampleOf(schema: unknown, text: string, root: unknown = schema): unknown {
	if (!isFields(schema)) return text;
	if ('const' in schema) return schema.const;
	if (Array.isArray(schema.enum)) return schema.enum[0];
	if (typeof schema.$ref === 'string') return exampleOf(resolve(schema.$ref, root), text, root);
	for (const list of [schema.anyOf, schema.oneOf, schema.allOf]) {
		if (Array.isArray(list)) return exampleOf(list[0], text, root);
	}
	const type = Array.isArray(schema.type) ? schema.type[0] : schema.type;
	switch (type) {
		case 'object': {
			const properties = isFields(schema.properties) ? schema.properties : {};
			return Object.fromEntries(
				Object.entries(properties).map(([name, part]) => [name, exampleOf(part, text, root)]),
			);
		}
		case 'array': {
			const count = typeof schema.minItems === 'number' ? schema.minItems : 1;
			return Array.from({ length: count }, () => exampleOf(schema.items, text, root));
		}
		case 'integer':
		case 'number':
			return typeof schema.minimum === 'number' ? schema.minimum : 1;
		case 'boolean':
			return true;
		case 'null':
			return null;
		default:
			return text;
	}
}

function resolve(ref: string, root: unknown): unknown {
	let found = root;
	for (const part of ref.split('/').slice(1)) found = isFields(found) ? found[part] : undefined;
	return found;
}
