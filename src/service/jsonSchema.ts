import { validate, type Schema, type SchemaDraft } from '@cfworker/json-schema';

import { invalid, ServiceError } from './errors';
import { isObject } from './json';
import { linkSchema } from './schemaLinks';
import { placeOf, tellingFault, type Fault } from './schemaFault';
import { rulesOf } from './schemaRules';

export interface SchemaFault {
	/** Where in the value, e.g. `items[2].price`, or `the top level`. */
	place: string;
	/** What is wrong there: a sentence. */
	reason: string;
}

/**
 * Makes a check out of a JSON schema: draft 2020-12, or what `$schema` says of 2019-09, 7, 6 and 4. The schema itself is left as
 * it is. Formats are checked, and unknown ones passed over, as unknown keywords are.
 *
 * @returns a function that gives the most telling fault of a JSON value, and undefined for a value without one. It throws
 *   ServiceError `invalid` for a value that is nested too deeply to be checked.
 * @throws ServiceError `invalid` for a schema that cannot be used: a keyword that holds something wrong, a `$ref` that leads out of
 *   the schema or in a circle, a broken regular expression.
 */
export function schemaChecker(
	schema: Record<string, unknown>,
): (value: unknown) => SchemaFault | undefined {
	const draft = draftOf(schema['$schema']);
	const [root, lookup] = orInvalid('The JSON schema cannot be used', () => {
		const copy = bareCopy(schema) as Schema;
		const rules = rulesOf(draft);
		return [copy, linkSchema(copy, draft, (level) => faultIn(level, rules, '2020-12'))];
	});
	return (value) =>
		orInvalid('The value cannot be checked against the JSON schema', () => {
			const fault = faultIn(bareCopy(value), root, draft, lookup);
			return fault && { place: placeOf(fault.path), reason: fault.reason };
		});
}

function faultIn(
	value: unknown,
	schema: Schema,
	draft: SchemaDraft,
	lookup: Record<string, Schema | boolean> = {},
): Fault | undefined {
	const { valid, errors } = validate(value, schema, draft, lookup);
	return valid ? undefined : tellingFault(errors, value, schema, lookup);
}

function draftOf(address: unknown): SchemaDraft {
	const [, draft = ''] = /\bdraft[-/](04|06|07|2019-09)\b/.exec(String(address)) ?? [];
	if (draft === '04') return '4';
	if (draft === '2019-09') return draft;
	return draft ? '7' : '2020-12';
}

/**
 * The library asks `key in value`, which finds `toString` in every ordinary object, and writes keys as addresses, which half a
 * character breaks. It also leaves marks in a schema.
 */
function bareCopy(value: unknown): unknown {
	if (Array.isArray(value)) return value.map(bareCopy);
	if (!isObject(value)) return value;
	const copy = Object.create(null) as Record<string, unknown>;
	for (const [key, held] of Object.entries(value)) {
		if (held !== undefined) copy[key.toWellFormed()] = bareCopy(held);
	}
	return copy;
}

function orInvalid<T>(what: string, work: () => T): T {
	try {
		return work();
	} catch (cause) {
		throw asInvalid(what, cause);
	}
}

function asInvalid(what: string, cause: unknown): ServiceError {
	if (cause instanceof ServiceError) return cause;
	// the stack has an end
	if (cause instanceof RangeError) return invalid(`${what}: it is nested too deeply, or too large`);
	return invalid(`${what}: ${cause instanceof Error ? cause.message : String(cause)}`);
}
