import {
	describeStatus,
	getRequestId,
	hasFailed,
	isErrorValue,
	malformedResponseError,
	parseErrorBody,
	refusedRequestError,
} from '../../../src/core/errorResponses';
import { describeWebPage, extractPageText, isWebPage } from '../../../src/core/webPage';
import { truncatedAnswerError, withDetails, withOutcome } from '../../../src/core/errors';
import { response } from '../inMemoryHttp';

const details = (body: unknown, status = 400) =>
	refusedRequestError(response({ status }), typeof body === 'string' ? body : JSON.stringify(body))
		.details;

const ALL = { code: 'x', reason: 'words', meta: { a: 1 } };
const { code, reason, meta } = ALL;
const words = { message: reason };

it.each([
	[{ error: { code, ...words, meta } }, ALL],
	[{ code, ...words, meta }, ALL],
	[{ error: 'x', ...words, meta }, ALL],
	[{ error: words, code, meta }, ALL],
	[{ detail: { code, ...words, meta } }, ALL],
	[{ errors: [{ code, ...words, meta }] }, ALL],
	[[{ error: { code, ...words, meta } }], ALL],
	[[{ code, ...words, meta }, { code: 'y' }], ALL],
	[{ detail: { error: { code, ...words, meta } } }, ALL],
	[{ detail: { error: code, ...words, meta } }, ALL],
	[{ error: { detail: { code, ...words, meta } } }, ALL],
	[{ error: { code, ...words, meta, errors: [{ reason: 'y', message: 'less' }] } }, ALL],
	[{ error: reason }, { reason }],
	[{ ...words, data: { message: 'a' } }, { reason }],
	[{ event: 'error', data: words }, { reason }],
	[{ errorMessage: reason, data: 1 }, { reason }],
	[{ is_error: true, result: reason }, { reason }],
	// Langflow
	[{ error: true, category: 'error', text: reason }, { reason }],
	[{ detail: reason }, { reason }],
	[{ error: { detail: reason } }, { reason }],
	[
		{ code: 17, msg: reason },
		{ code: '17', reason },
	],
	[{ message: '', detail: reason }, { reason }],
	[{ detail: [{ loc: ['body'], msg: 'a' }] }, { reason: '[{"loc":["body"],"msg":"a"}]' }],
	[{ error: { type: code, ...words } }, { code, reason }],
	[{ error: { code: 400, type: code, ...words } }, { code, reason }],
	[{ ...words, code: {}, meta: [] }, { reason }],
	// what says only that it is an error is no code
	[{ type: 'error', errorText: reason }, { reason }],
	[{ error: 'Error', ...words }, { reason }],
	[{ foo: 1 }, { reason: '{"foo":1}' }],
	[
		{ success: false, error: [{ code: 2009, ...words }] },
		{ code: '2009', reason },
	],
	[{ status: 429, title: reason }, { reason }],
	// ASP.NET's problem details
	[
		{ title: 'Wrong.', errors: { a: ['b'] } },
		{ reason: '{"title":"Wrong.","errors":{"a":["b"]}}' },
	],
	[{ title: 'Bad Request', detail: reason }, { reason }],
	['  words\n', { reason }],
	['<h1>Bad</h1>', { reason: '<h1>Bad</h1>' }],
	['[1]', { reason: '[1]' }],
	['null', { reason: 'null' }],
	['', {}],
])('reads %j', (body, expected) => {
	expect(details(body)).toEqual({ status: 400, ...expected });
});

it('cuts what is too long', () => {
	const long = details({ message: 'm'.repeat(10_000_000), code: 'c'.repeat(5000) });
	expect([long.reason?.length, long.code?.length]).toEqual([2001, 101]);
});

it('reads request id and Retry-After from the head', () => {
	const head = response({ status: 429, headers: { 'x-request-id': 'r-1', 'retry-after': '7' } });
	expect(refusedRequestError(head, '')).toMatchObject({
		kind: 'refused',
		message: 'The service is receiving too many requests (429)',
		details: { status: 429, requestId: 'r-1', retryAfter: 7000 },
	});
	const inWords = refusedRequestError(response({ status: 429 }), 'Please try again in 7m1.5s.');
	expect(inWords.details.retryAfter).toBe(421_500);
	expect(getRequestId({ 'x-request-id': 'x'.repeat(300) }).requestId).toHaveLength(201);
	expect(getRequestId({})).toEqual({});
});

it.each([
	[
		'https://user:word@inside.example:8443/login?token=1#a',
		'It leads to https://inside.example:8443.',
	],
	['/login', undefined],
])('of a redirect to %s it is said: %s', (location, reason) => {
	const answer = response({ status: 302, headers: { location } });
	expect(refusedRequestError(answer, '').details.reason).toBe(reason);
});

it.each<[string, ...number[]]>([
	['The service sent a redirect (%), which is not followed', 301, 308],
	['The service refused the request (%)', 400],
	['The service refused the API key (%)', 401],
	['The balance does not cover this request (%)', 402],
	['The API key does not permit this request (%)', 403],
	['The service has nothing at this address or with this ID (%)', 404],
	['The proxy between n8n and the service requires a password (%)', 407],
	['The service is receiving too many requests (%)', 429],
	['The service reported an internal error (%)', 500, 519, 529, 531, 599],
	['A proxy in front of the service got no answer that it could use (%)', 520, 526, 530],
])('"%s": %d', (sentence, ...statuses) => {
	for (const status of statuses)
		expect(describeStatus(status)).toBe(sentence.replace('%', `${status}`));
});

it.each([
	['', 'The answer was empty.', undefined],
	['x'.repeat(500), `${'x'.repeat(200)}…`, undefined],
	[
		' <!doctype html>',
		'An HTML page',
		'The response is a web page: it may come from a login page or a proxy, or the base URL may be wrong.',
	],
])('garbled says what came: %.20j', (body, reason, advice) => {
	const error = malformedResponseError(response({ headers: { 'x-request-id': 'r' } }), body);
	const message = 'The service answered in a form that cannot be read';
	expect(error).toMatchObject({ kind: 'malformed', message });
	expect(error.details).toEqual({ status: 200, reason, requestId: 'r', ...(advice && { advice }) });
});

it.each([
	[{ error: { message: 'boom', code: 'x' } }, { reason: 'boom', code: 'x' }],
	[{ error: { message: 'boom', param: 'input' } }, { reason: 'boom' }],
	[{ choices: null, base_resp: { status_code: 1039, status_msg: 'boom' } }, { reason: 'boom' }],
	[{ error: { message: 'no', param: 'The x is missing.' } }, { reason: 'no: The x is missing.' }],
	[{ error: { message: 'no', metadata: { raw: 'x is busy' } } }, { reason: 'no: x is busy' }],
	[
		{ error: { message: 'no', metadata: { raw: '{"error": {"message": "boom"}}' } } },
		{ reason: 'no: boom' },
	],
	[null, { reason: 'null' }],
	[undefined, {}],
	[17, { reason: '17' }],
])('an error reported with status 200: %j', (value, expected) => {
	expect(parseErrorBody(value)).toEqual(expected);
});

it('withDetails joins ids, and what is said last counts', () => {
	const error = truncatedAnswerError('why', { text: 'a' });
	const first = withDetails(error, { ids: { chatId: '1' } });
	const more = withDetails(first, { ids: { jobId: '2' }, reason: 'other' });
	const ids = { chatId: '1', jobId: '2' };
	expect(more).toMatchObject({ kind: 'truncated', message: 'The answer stopped before its end' });
	expect(more.details).toEqual({ reason: 'other', partial: { text: 'a' }, ids });
	expect(withDetails(error, {}).details).not.toHaveProperty('ids');
});

const PAGE =
	'\n<!DOCTYPE html><html><head><title>502 Bad\n Gateway &amp; more</title><style>.a{}</style></head><body><script>let x = "<p>";</script><h1>Bad &lt;Gateway&gt;</h1><p>nginx</p></body></html>';

it.each([
	[PAGE, '', true],
	['<html lang="en"><head>', 'text/plain', true],
	['<html lang> is a tag', 'text/plain', false],
	['<html lang> is a tag', '', true],
	['<b>Hi</b>', 'text/plain', false],
	['<b>Hi</b>', '', false],
	['<p>Log in', 'text/html; charset=utf-8', true],
	['Hello', 'text/html', false],
	['{"a":"<html>"}', 'text/html', false],
	['<?xml version="1.0"?><Error/>', 'application/xml', true],
	['<htmlx>', '', false],
])('%j of the type %j is a page: %s', (text, type, is) => {
	expect(isWebPage(text, type)).toBe(is);
});

const TITLE = 'An HTML page: "502 Bad Gateway & more"';
const ERROR = '<Error><Code>NoSuchKey</Code><Message>It is gone.</Message></Error>';

it.each([
	[PAGE, TITLE],
	['<html><body>x', 'An HTML page'],
	[`<title>${'x'.repeat(999)}</title>`, `An HTML page: "${'x'.repeat(200)}…"`],
	[`<?xml version="1.0"?>${ERROR}`, 'An XML document: NoSuchKey: It is gone.'],
])('of the page %.30j it is said: %.50s', (page, said) => {
	expect(describeWebPage(page)).toBe(said);
});

it('the words of a page come without its markup', () => {
	expect(extractPageText(PAGE)).toBe('502 Bad\nGateway & more Bad <Gateway> nginx');
});

it.each([['<'], ['<title '], ['<title>'], ['<script>'], ['<!--'], ['< '], ['&lt;']])(
	'a hundred thousand times %j is read in no time',
	(part) => {
		const text = part.repeat(100_000);
		expect(describeWebPage(text)).toContain('An HTML page');
		expect(typeof extractPageText(text)).toBe('string');
	},
);

it('a page in place of an error is not poured into its details', () => {
	const page = response({ status: 502, headers: { 'content-type': 'text/html' } });
	expect(refusedRequestError(page, PAGE).details.reason).toBe(TITLE);
	expect(refusedRequestError(page, '<pre>Cannot GET /</pre>').details.reason).toBe('An HTML page');
	expect(malformedResponseError(page, PAGE).details.reason).toBe(TITLE);
	const body = { error: { message: PAGE, code: 'bad' } };
	expect(parseErrorBody(body)).toEqual({ reason: TITLE, code: 'bad' });
});

it.each([
	[false, [undefined, null, false, '', '  ', 0, 200, {}, [], [null], 'none', 'No error']],
	[
		false,
		[
			{ code: 0, message: 'success' },
			{ code: null, message: '', details: [] },
		],
	],
	[true, [true, 'quota', 1, 500, { code: 'x' }, { message: 'boom' }, [{ msg: 'boom' }]]],
])('a field "error" reports something, %s: %j', (does, errors) => {
	expect(errors.map(isErrorValue)).toEqual(errors.map(() => does));
});

it.each([
	[true, { base_resp: { status_code: 1039, status_msg: 'boom' } }],
	[true, { code: 102, message: 'boom' }],
	[true, { statusCode: 500, message: 'boom' }],
	[true, { status: 422, msg: 'boom' }],
	[false, { base_resp: { status_code: 0, status_msg: 'succeed', trace_id: 'x' } }],
	[false, { base_resp: { status_code: 0, status_msg: '' } }],
	[false, { status: 100, message: 'Processing' }],
	[false, { status: 202, message: 'Accepted' }],
	[false, { code: 200, message: 'ok' }],
])('a value reports a failure, %s: %j', (does, value) => {
	expect(hasFailed(value)).toBe(does);
});

describe('money that is used up', () => {
	it.each<[number, object]>([
		[429, { type: 'insufficient_quota', code: null }],
		[400, { code: 'billing_hard_limit_reached' }],
		[400, { type: 'budget_exceeded', code: '400' }],
		[401, { type: 'auth_error', message: 'Budget has been exceeded: User ada has exceeded' }],
		[400, { code: 'Arrearage' }],
		[400, { type: 'invalid_request_error', message: 'Your credit balance is too low to access' }],
		[403, { code: 'insufficient_user_quota' }],
		[403, { code: 403, message: 'Key limit exceeded (daily limit). Manage it' }],
		[403, { message: "Your newly created team doesn't have any credits or licenses yet." }],
		[403, { message: 'You have run out of credits or need a Grok subscription.' }],
		[429, { type: 'rate_limit_error', code: '1113', message: 'Insufficient balance or no res' }],
		[403, { code: 403, message: 'not enough balance' }],
		[403, { code: 30001, message: 'Sorry, your account balance is insufficient' }],
		[400, { message: 'You have reached your specified API usage limits. You will regain access' }],
		[429, { code: 429, message: 'Your project has exceeded its monthly spending cap.' }],
		[429, { code: '1113', message: '您的账户已欠费，请充值后重试。' }],
	])('%d %j: is told as such, with what helps, and asks for no wait', (status, error) => {
		const headers = { 'retry-after': '9' };
		const refused = refusedRequestError(response({ status, headers }), JSON.stringify({ error }));
		expect(refused.message).toBe(`The balance or a limit is used up (${status})`);
		expect(refused.details).toMatchObject({
			advice: expect.stringContaining('Top up, or raise the limit'),
			needsOperator: true,
		});
		expect(refused.details).not.toHaveProperty('retryAfter');
		expect(withOutcome(refused, 'question').details.outcome).toBe('not_started');
	});

	it.each<[number, object]>([
		[400, { code: 'context_length_exceeded' }],
		[401, { type: 'auth_error', message: 'Authentication Error, Invalid proxy server token' }],
		[403, { code: 'forbidden' }],
		[429, { code: 'rate_limit_exceeded' }],
		[500, { code: 'insufficient_quota' }],
		[404, { code: 'credit_note_not_found' }],
	])('%d %j is something else', (status, error) => {
		const refused = refusedRequestError(response({ status }), JSON.stringify({ error }));
		expect(refused.message).toBe(describeStatus(status));
	});
});

it.each<[number, object]>([
	[400, { code: 'tool_use_failed', message: 'parameters for tool add did not match schema' }],
	[400, { message: 'Output blocked by content filtering policy' }],
	[400, { message: 'Output data may contain inappropriate content. For details, see …' }],
	[
		400,
		{
			code: 'content_filter',
			message:
				"The response was filtered due to the prompt triggering Azure OpenAI's content management policy.",
		},
	],
	[403, { message: 'Content violates usage guidelines. Failed check: SAFETY_CHECK_TYPE_BIO' }],
])('%d %j: the model has run, or it is charged', (status, error) => {
	const refused = refusedRequestError(response({ status }), JSON.stringify({ error }));
	expect(refused.details.outcome).toBe('started');
});

it('what is repeated of a request does not say that it has run', () => {
	const input = 'Draft a content management policy for our intranet';
	const body = JSON.stringify({ detail: [{ loc: ['body', 'messages'], msg: 'x', input }] });
	const refused = refusedRequestError(response({ status: 422 }), body);
	expect(refused.details).not.toHaveProperty('outcome');
});

describe('an answer that a guardrail keeps back', () => {
	const hooks = (before: boolean[], after: boolean[]) => ({
		error: { message: 'The guardrail checks failed.', type: 'hooks_failed' },
		hook_results: {
			before_request_hooks: before.map((verdict) => ({ verdict, id: 'g' })),
			after_request_hooks: after.map((verdict) => ({ verdict, id: 'g' })),
		},
	});

	it.each<[number, unknown, string]>([
		[446, hooks([], [false]), 'started'],
		[446, hooks([true], [true, false]), 'started'],
		[400, hooks([], [false]), 'started'],
		[446, hooks([false], []), 'not_started'],
		[446, hooks([true], []), 'unknown'],
		[446, {}, 'unknown'],
		[446, { hook_results: { after_request_hooks: 'x' } }, 'unknown'],
		[446, { hook_results: null }, 'unknown'],
	])('%d %j: %s', (status, body, outcome) => {
		const refused = refusedRequestError(response({ status }), JSON.stringify(body));
		expect(withOutcome(refused, 'question').details.outcome).toBe(outcome);
		if (status === 446)
			expect(refused.message).toBe(
				'The service answered with a status that HTTP does not define (446)',
			);
	});
});
