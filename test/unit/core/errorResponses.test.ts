import {
	malformedResponseError,
	parseErrorBody,
	describeStatus,
	refusedRequestError,
	getRequestId,
} from '../../../src/core/errorResponses';
import {
	truncatedAnswerError,
	mapServiceError,
	invalidInputError,
	ServiceError,
	withDetails,
} from '../../../src/core/errors';
import fc, { character } from '../../support/fastCheck';
import { response } from '../inMemoryHttp';

const details = (body: unknown, status = 400) =>
	refusedRequestError(response({ status }), typeof body === 'string' ? body : JSON.stringify(body))
		.details;

it.each<[string, unknown, object]>([
	[
		'an error object',
		{ error: { code: 'x', message: 'words', meta: { a: 1 } } },
		{ code: 'x', reason: 'words', meta: { a: 1 } },
	],
	[
		'bare fields',
		{ code: 'x', message: 'words', meta: { a: 1 } },
		{ code: 'x', reason: 'words', meta: { a: 1 } },
	],
	['an error text', { error: 'words' }, { reason: 'words' }],
	['a detail text', { detail: 'words' }, { reason: 'words' }],
	[
		'a detail list',
		{ detail: [{ loc: ['body'], msg: 'words' }] },
		{ reason: '[{"loc":["body"],"msg":"words"}]' },
	],
	['a detail inside', { error: { detail: 'words' } }, { reason: 'words' }],
	['a type for a code', { error: { type: 'x', message: 'words' } }, { code: 'x', reason: 'words' }],
	['a code that is a number', { code: 17, message: 'words' }, { code: '17', reason: 'words' }],
	[
		'a number beside a type',
		{ error: { code: 400, type: 'x', message: 'words' } },
		{ code: 'x', reason: 'words' },
	],
	[
		'a code in place of the words',
		{ error: 'x', message: 'words', meta: { a: 1 } },
		{ code: 'x', reason: 'words', meta: { a: 1 } },
	],
	[
		'code and meta beside the error',
		{ error: { message: 'words' }, code: 'x', meta: { a: 1 } },
		{ code: 'x', reason: 'words', meta: { a: 1 } },
	],
	[
		'a detail object',
		{ detail: { code: 'x', message: 'words', meta: { a: 1 } } },
		{ code: 'x', reason: 'words', meta: { a: 1 } },
	],
	[
		'a list of errors',
		{ errors: [{ code: 'x', message: 'words', meta: { a: 1 } }] },
		{ code: 'x', reason: 'words', meta: { a: 1 } },
	],
	['an empty message', { message: '', detail: 'words' }, { reason: 'words' }],
	['nothing known', { foo: 1 }, { reason: '{"foo":1}' }],
	['plain text', '  words\n', { reason: 'words' }],
	['HTML', '<h1>Bad</h1>', { reason: '<h1>Bad</h1>' }],
	['a list', '[1]', { reason: '[1]' }],
	['null', 'null', { reason: 'null' }],
	['nothing', '', {}],
])('reads %s', (_form, body, expected) => {
	expect(details(body)).toEqual({ status: 400, ...expected });
});

it('cuts what is too long, and takes no code that is an object', () => {
	const { reason, code, ...rest } = details({
		message: 'm'.repeat(10_000_000),
		code: 'c'.repeat(5000),
	});
	expect([reason?.length, code?.length, rest]).toEqual([2001, 101, { status: 400 }]);
	expect(details({ message: 'a', code: {}, meta: [] })).toEqual({ status: 400, reason: 'a' });
});

it('reads request id and Retry-After from the head', () => {
	const head = response({ status: 429, headers: { 'x-request-id': 'r-1', 'retry-after': '7' } });
	expect(refusedRequestError(head, '')).toMatchObject({
		kind: 'refused',
		message: 'The service is receiving too many requests (429)',
		details: { status: 429, requestId: 'r-1', retryAfter: 7000 },
	});
	expect(getRequestId({ 'x-request-id': 'x'.repeat(300) }).requestId).toHaveLength(201);
	expect(getRequestId({})).toEqual({});
});

it.each([
	[301, 'The service sent a redirect (301), which is not followed'],
	[308, 'The service sent a redirect (308), which is not followed'],
	[400, 'The service refused the request (400)'],
	[401, 'The service refused the API key (401)'],
	[402, 'The balance does not cover this request (402)'],
	[403, 'The API key does not permit this request (403)'],
	[404, 'The service has nothing under this address or ID (404)'],
	[407, 'The proxy between n8n and the service requires a password (407)'],
	[429, 'The service is receiving too many requests (429)'],
	[500, 'The service reported an internal error (500)'],
	[599, 'The service reported an internal error (599)'],
])('%d reads "%s"', (status, sentence) => {
	expect(describeStatus(status)).toBe(sentence);
});

it.each([
	['', 'The answer was empty.', undefined],
	['x'.repeat(500), `${'x'.repeat(200)}…`, undefined],
	[
		' <!doctype html>',
		'An HTML page',
		'This looks like a web page: a login page, a proxy, or a wrong base URL.',
	],
])('garbled says what came: %.20j', (body, reason, advice) => {
	const error = malformedResponseError(response({ headers: { 'x-request-id': 'r' } }), body);
	expect(error).toMatchObject({
		kind: 'malformed',
		message: 'The service answered in a form that cannot be read',
	});
	expect(error.details).toEqual({ status: 200, reason, requestId: 'r', ...(advice && { advice }) });
});

it.each<[unknown, object]>([
	['boom', { reason: 'boom' }],
	[{ error: { message: 'boom', code: 'x' } }, { reason: 'boom', code: 'x' }],
	[{ message: 'boom' }, { reason: 'boom' }],
	['', {}],
	[null, { reason: 'null' }],
	[undefined, {}],
	[17, { reason: '17' }],
])('an error reported with status 200: %j', (value, expected) => {
	expect(parseErrorBody(value)).toEqual(expected);
});

it('reads any body without a failure of its own', () => {
	fc.assert(
		fc.property(fc.oneof(fc.string({ unit: character }), fc.json()), (body) => {
			const error = refusedRequestError(response({ status: 418 }), body);
			expect(typeof (error.details.reason ?? '')).toBe('string');
		}),
	);
});

it('withDetails joins ids, and what is said last counts', () => {
	const error = truncatedAnswerError('why', { text: 'a' });
	const more = withDetails(withDetails(error, { ids: { chatId: '1' } }), {
		ids: { jobId: '2' },
		reason: 'other',
	});
	expect(more).toMatchObject({ kind: 'truncated', message: 'The answer stopped before its end' });
	expect(more.details).toEqual({
		reason: 'other',
		partial: { text: 'a' },
		ids: { chatId: '1', jobId: '2' },
	});
	expect(withDetails(error, {}).details).not.toHaveProperty('ids');
});

it('explained leaves alone what is not ours', () => {
	const [foreign, ours] = [new TypeError('x'), invalidInputError('x', 'do this')];
	expect(mapServiceError(foreign, () => ours)).toBe(foreign);
	expect(mapServiceError(ours)).toBe(ours);
	expect(mapServiceError(ours, () => truncatedAnswerError('y'))).toMatchObject({
		kind: 'truncated',
	});
	expect(ours.details).toEqual({ advice: 'do this' });
	expect(invalidInputError('x').details).toEqual({});
	expect(new ServiceError('truncated', 'x', { cause: foreign }).cause).toBe(foreign);
});
