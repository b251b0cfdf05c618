import { parseErrorBody } from '../../../src/core/errorResponses';
import { ServiceError } from '../../../src/core/errors';
import { withOwnFields } from '../../../src/router/ownFields';
import { failureOf, inMemory } from '../inMemoryHttp';

const USAGE = { include_usage: true };
const request = { model: 'm', stream_options: USAGE, max_tokens: 100 };

/** A service that says why it refuses a request, as the body of an error with status 422. */
function serviceThat(refuse: (fields: Record<string, unknown>) => object | undefined) {
	const http = { ...inMemory(), serviceFacts: new Map<string, string>() };
	const sent: object[] = [];
	const ask = async (body: { model: string }) =>
		await withOwnFields(http, body, async (given) => {
			const fields = Object.fromEntries(
				Object.entries(given).filter(([, value]) => value !== undefined),
			);
			sent.push(fields);
			const refusal = refuse(fields);
			if (!refusal) return 'answered';
			const details = { status: 422, ...parseErrorBody(refusal) };
			throw new ServiceError('refused', 'The service refused the request (422)', details);
		});
	return { ask, sent, facts: http.serviceFacts };
}

/** As FastAPI refuses a field, or a request, which it repeats. */
const invalid = (place: string, input: unknown) => ({
	detail: [{ type: 'extra_forbidden', loc: ['body', place], msg: 'Not permitted', input }],
});

it.each([
	['stream_options', invalid('stream_options', USAGE), { model: 'm', max_tokens: 100 }],
	[
		'stream_options',
		{ message: 'extraneous key [include_usage] is not permitted' },
		{ model: 'm', max_tokens: 100 },
	],
	[
		'max_tokens',
		{ error: { message: "Use 'max_completion_tokens' instead.", param: 'max_tokens' } },
		{ model: 'm', stream_options: USAGE, max_completion_tokens: 100 },
	],
])('%s is left out once a service has refused it', async (field, refusal, without) => {
	const { ask, sent } = serviceThat((fields) => (field in fields ? refusal : undefined));
	expect([await ask(request), await ask(request)]).toEqual(['answered', 'answered']);
	expect(sent).toEqual([request, without, without]);
});

it.each([
	['Your organization must be verified to stream this model.', 1],
	// of this request, not of the next one
	['AiError: JSON Schema mode is not supported with stream mode.', 2],
])('an answer comes whole where a service does not stream it: %s', async (reason, refusals) => {
	const { ask, sent } = serviceThat(({ stream }) =>
		stream ? { error: { message: reason } } : undefined,
	);
	const streamed = { ...request, stream: true };
	expect([await ask(streamed), await ask(streamed)]).toEqual(['answered', 'answered']);
	const whole = { model: 'm', max_tokens: 100 };
	const again = refusals > 1 ? [streamed] : [];
	expect(sent).toEqual([streamed, whole, ...again, whole]);
});

it('a refusal that stays without the field breaks no other request', async () => {
	const { ask, sent, facts } = serviceThat((fields) =>
		'bad' in fields
			? { message: 'One of stream_options, max_completion_tokens and bad is wrong' }
			: undefined,
	);
	const { details } = await failureOf(ask({ ...request, bad: 1 } as typeof request));
	expect(details.reason).toContain('bad is wrong');
	expect(facts.size).toBe(0);
	sent.length = 0;
	await ask(request);
	expect(sent).toEqual([request]);
});

it('the maximum stays where the request itself has the other name, which is refused', async () => {
	const { ask, sent } = serviceThat((fields) =>
		'max_completion_tokens' in fields ? invalid('max_completion_tokens', fields) : undefined,
	);
	const both = { ...request, max_completion_tokens: 100 };
	await failureOf(ask(both));
	expect(sent).toEqual([both]);
	expect(await ask(request)).toBe('answered');
	expect(sent[1]).toEqual(request);
});

it('of two names of the maximum, which a service does not take together, the newer one stays', async () => {
	const { ask, sent } = serviceThat((fields) =>
		'max_tokens' in fields && 'max_completion_tokens' in fields
			? { message: "Setting 'max_tokens' and 'max_completion_tokens' together is not supported." }
			: undefined,
	);
	await ask({ ...request, max_completion_tokens: 100 } as typeof request);
	expect(sent[1]).toEqual({ model: 'm', stream_options: USAGE, max_completion_tokens: 100 });
});

it.each([
	['the whole request', request],
	['the prompt', 'What is stream_options?'],
])('a refusal of something else that repeats %s costs no second attempt', async (_what, input) => {
	const { ask, sent } = serviceThat(() => invalid('messages', input));
	const { details } = await failureOf(ask(request));
	expect(details.reason).toBe(
		'[{"type":"extra_forbidden","loc":["body","messages"],"msg":"Not permitted"}]',
	);
	expect(sent).toEqual([request]);
});
