import { compileSchema } from '../../../src/core/jsonSchema';
import { createStructuredReader, type StructuredReader } from '../../../src/core/structuredAnswer';
import { regexEngine } from '../../../src/n8n/n8nVersions';
import type { TextValues } from './text.params';

/** A schema without an expression is the same object for all items, and is compiled once. */
const cachedReaders = new WeakMap<object, StructuredReader>();

/**
 * Creates the reader for a response format; undefined for plain text.
 *
 * @throws ServiceError `invalid` for an unusable schema.
 */
export function createAnswerReader({
	responseFormat,
	jsonSchema,
}: Pick<TextValues, 'responseFormat' | 'jsonSchema'>): StructuredReader | undefined {
	if (responseFormat === 'text') return undefined;
	if (responseFormat === 'json_object') return createStructuredReader();
	const reader =
		cachedReaders.get(jsonSchema) ?? createStructuredReader(compileSchema(jsonSchema, regexEngine));
	cachedReaders.set(jsonSchema, reader);
	return reader;
}
