import { parseJson } from '../service/json';
import { schemaChecker, type SchemaFault } from '../service/jsonSchema';
import { placeOf } from '../service/schemaFault';

/** What an answer that was to be JSON holds, or what is wrong with it: then `reason` is a whole sentence. */
export type Structured = { parsed: unknown } | SchemaFault;

/**
 * Reads the text of an answer as JSON, also with one Markdown code fence around it, and checks it with a schema.
 *
 * @param schema Is made ready once, for any number of answers. Without one any JSON will do.
 * @returns a function that never throws: the answers that it reads are paid for.
 * @throws ServiceError `invalid` for a schema that cannot be used.
 */
export function structured(schema?: Record<string, unknown>): (answer: string) => Structured {
	const faultIn = schema && schemaChecker(schema);
	return (answer) => {
		const text = withoutFence(answer);
		const read = text ? parsed(text) : fault('The answer is not JSON: it is empty.');
		if (!faultIn || !('parsed' in read)) return read;
		try {
			// as it was sent: an integer with more digits than JavaScript keeps is a text in `parsed`
			const found = faultIn(JSON.parse(text));
			if (!found) return read;
			const { place, reason } = found;
			return { place, reason: `The answer breaks the JSON schema at ${place}: ${reason}` };
		} catch (cause) {
			return fault(`${wordsOf(cause)}.`);
		}
	};
}

function parsed(text: string): Structured {
	try {
		return { parsed: parseJson(text) };
	} catch (cause) {
		return fault(`The answer is not JSON: ${wordsOf(cause)}.`);
	}
}

/** White space and a byte order mark are no part of JSON either. */
function withoutFence(answer: string): string {
	const text = answer.trim();
	const [, , fenced] = /^(`{3,}|~{3,})[^\n`]*\n(.*)\n[ \t]*\1$/s.exec(text) ?? [];
	return (fenced ?? text).trim();
}

const fault = (reason: string): SchemaFault => ({ place: placeOf([]), reason });

const wordsOf = (cause: unknown) => (cause instanceof Error ? cause.message : String(cause));
