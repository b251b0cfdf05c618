import { invalid } from '../../../src/service/errors';

/** Fields that cannot be given as further ones, and why. */
const NOT_GIVEN: Record<string, string> = {
	stream: 'The answer is always streamed inside.',
	stream_options: 'The service sets it by itself.',
	previous_response_id:
		'The service does not store responses: send the whole conversation in the messages.',
};

/**
 * Adds further fields to a request.
 *
 * @throws ServiceError `invalid` for a field that is there already, or that the service cannot take.
 */
export function withFields<Body extends object>(
	body: Body,
	further: Record<string, unknown> = {},
): Body & Record<string, unknown> {
	for (const name of Object.keys(further)) {
		if (Object.hasOwn(NOT_GIVEN, name) && !isHarmless(name, further[name]))
			throw invalid(`Additional Fields must not contain "${name}"`, NOT_GIVEN[name]);
		if (Object.hasOwn(body, name))
			throw invalid(`Additional Fields must not contain "${name}"`, 'It is set by a field above.');
	}
	return { ...body, ...further };
}

const isHarmless = (name: string, value: unknown) =>
	value === null || (name === 'stream' && value === true);
