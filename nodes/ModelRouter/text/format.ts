import { structured } from '../../../src/router/structured';

export type StructuredReader = ReturnType<typeof structured>;

interface Format {
	answerFormat: 'text' | 'json' | 'schema';
	schema: Record<string, unknown>;
}

/** A schema without an expression is one object for all items, and made ready once. */
const ready = new WeakMap<object, StructuredReader>();

/**
 * What reads an answer of the format; nothing for plain text.
 *
 * @throws ServiceError `invalid` for a schema that cannot be used.
 */
export function readerOf({ answerFormat, schema }: Format): StructuredReader | undefined {
	if (answerFormat === 'text') return undefined;
	if (answerFormat === 'json') return structured();
	const reader = ready.get(schema) ?? structured(schema);
	ready.set(schema, reader);
	return reader;
}
