import { invalidInputError } from '../../../src/core/errors';

/**
 * The fields of a protocol.
 *
 * @param options By their stored names. An option that is not set is left out.
 * @param fieldNames The protocol's name of each option.
 */
export function toProtocolFields<Name extends string>(
	options: { [name in Name]?: unknown },
	fieldNames: Record<Name, string>,
): Record<string, unknown> {
	const set = Object.entries<string>(fieldNames).flatMap(([name, field]) => {
		const value = options[name as Name];
		return value === undefined ? [] : [[field, value] as const];
	});
	return Object.fromEntries(set);
}

/** Fields that are not allowed in Additional Fields, and why. */
const FORBIDDEN_FIELDS: Record<string, string> = {
	stream: 'The answer is always streamed inside.',
	stream_options: 'The service sets it by itself.',
	previous_response_id:
		'The service does not store responses: send the whole conversation in the messages.',
};

/**
 * Adds fields to a request.
 *
 * @throws ServiceError `invalid` for a field that is already set, or that the service does not support.
 */
export function addFields<Body extends object>(
	body: Body,
	additionalFields: Record<string, unknown> = {},
): Body & Record<string, unknown> {
	for (const name of Object.keys(additionalFields)) {
		if (Object.hasOwn(FORBIDDEN_FIELDS, name) && !isAllowedValue(name, additionalFields[name]))
			throw invalidInputError(
				`Additional Fields must not contain "${name}"`,
				FORBIDDEN_FIELDS[name],
			);
		if (Object.hasOwn(body, name))
			throw invalidInputError(
				`Additional Fields must not contain "${name}"`,
				'It is set by a field above.',
			);
	}
	return { ...body, ...additionalFields };
}

const isAllowedValue = (name: string, value: unknown) =>
	value === null || (name === 'stream' && value === true);
