import { messageOf } from './errors';
import { withoutThinking } from './extractText';
import { parseJson } from './json';
import type { SchemaCheck, SchemaError } from './jsonSchema';
import { formatPath } from './schemaErrors';

/** The value of a JSON answer, or the error, of which `reason` is a complete sentence. */
type StructuredResult = { value: unknown } | SchemaError;

/** Reads the text of an answer. It never throws, since the answers are already billed. */
export type StructuredReader = (answer: string) => StructuredResult;

/**
 * Makes a reader of JSON, with or without a Markdown code fence around it.
 *
 * @param findError Checks it with a schema. Without it, any JSON is accepted.
 */
export function createStructuredReader(findError?: SchemaCheck): StructuredReader {
	return (answer) => {
		const text = stripCodeFence(answer);
		const result = text
			? parseAnswer(text)
			: structureError('The answer is not JSON: it is empty.');
		if (!findError || !('value' in result)) return result;
		try {
			// not the value, in which an integer with more digits than JavaScript keeps is a string
			const error = findError(text);
			if (!error) return result;
			const { place, reason } = error;
			return { place, reason: `The answer breaks the JSON schema at ${place}: ${reason}` };
		} catch (cause) {
			return structureError(`${messageOf(cause)}.`);
		}
	};
}

function parseAnswer(text: string): StructuredResult {
	try {
		return { value: parseJson(text) };
	} catch (cause) {
		return structureError(`The answer is not JSON: ${messageOf(cause)}.`);
	}
}

/** Also removes thinking, white space and a byte order mark. */
function stripCodeFence(answer: string): string {
	const text = withoutThinking(answer).trim();
	const [, , fenced] = /^(`{3,}|~{3,})[^\n`]*\n(.*)\n[ \t]*\1$/s.exec(text) ?? [];
	return (fenced ?? text).trim();
}

const structureError = (reason: string): SchemaError => ({ place: formatPath([]), reason });
