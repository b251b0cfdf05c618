import { ServiceError } from '../../../src/core/errors';
import { isTransient } from '../../../src/tables/retries';
import { type N8nApi, requestN8n } from '../../../src/tables/n8nApi';
import { failureOf, inMemory, json, response, type Answer } from '../inMemoryHttp';
import { virtualClock } from '../virtualClock';

const html = { 'content-type': 'text/html; charset=utf-8' };
const express =
	'<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n<title>Error</title>\n</head>\n<body>\n<pre>Cannot PATCH /api/v1/data-tables/1/rows/update</pre>\n</body>\n</html>\n';

const failed = async (answer: Answer | ServiceError) =>
	await failureOf(
		requestN8n(
			{ http: inMemory(answer), credentialName: 'Model Router API' },
			{ method: 'GET', path: '/api/v1/data-tables' },
			'dataTable:list',
			(body) => (Array.isArray(body) ? body : undefined),
		),
	);

const NO_TABLE = 'a table that does not exist';
const OF_TODAY =
	"The job ledger needs n8n 2.22.6 or newer. Check Job Ledger Table and n8n URL in the Model Router API credential, and that n8n's public API is switched on.";

describe('answers of an n8n that is starting pass', () => {
	it('its sentence, which names the reason', async () => {
		const error = await failed({ headers: html, chunks: ['n8n is starting', ' up. Please wait'] });
		expect(error).toMatchObject({
			message: 'The job ledger could not be used: n8n is still starting',
			details: { advice: 'Run this again once n8n has started.', status: 200 },
		});
		expect(isTransient(error)).toBe(true);
	});

	it.each([
		["Express's page", { status: 404, headers: html, chunks: [express] }],
		['the same byte by byte', { status: 404, headers: html, chunks: [...express] }],
		['a page without a type', { status: 404, chunks: [express] }],
	])('%s, which a wrong address may send, too', async (_name, answer) => {
		const error = await failed(answer);
		expect(error).toMatchObject({
			message:
				'The job ledger could not be used: n8n has nothing at this address or with this ID (404)',
			details: {
				reason: 'An HTML page: "Error"',
				advice: `The n8n URL answered with a web page. n8n also sends one while it starts: if it is starting, run this again in a minute. ${OF_TODAY}`,
			},
		});
		expect(isTransient(error)).toBe(true);
	});

	it.each([
		['its database is not ready', json({ code: 503 }, { status: 503 })],
		['a proxy, 502', { status: 502, headers: html, chunks: ['<h1>Bad Gateway</h1>'] }],
		['a proxy, 503', { status: 503, headers: html, chunks: ['<h1>no</h1>'] }],
		['a proxy, 504', { status: 504 }],
		['nobody', new ServiceError('unreachable', 'nothing answers', { sent: false })],
	])('%s', async (_name, answer) => {
		expect(isTransient(await failed(answer))).toBe(true);
	});
});

describe('these do not pass', () => {
	it.each([
		[NO_TABLE, json({ message: 'no table' }, { status: 404 })],
		['an older n8n', json({ message: 'not found' }, { status: 404 })],
		['404 without a body', { status: 404 }],
		['a text with 404', { status: 404, headers: html, chunks: ['not found'] }],
		['a login page', { headers: html, chunks: ['<!doctype html><title>Sign in</title>'] }],
		['a login page with 401', { status: 401, headers: html, chunks: [express] }],
		['another JSON', json({ message: 'n8n is starting up' })],
	])('%s', async (name, answer) => {
		const error = await failed(answer);
		expect(error.details).not.toHaveProperty('transient');
		expect(isTransient(error)).toBe(false);
		if (name === NO_TABLE) expect(error.details.advice).toBe(OF_TODAY);
	});
});

it('what n8n answers is read as before', async () => {
	const answer = { headers: { 'content-type': 'application/json' }, chunks: ['[1,', '2]'] };
	const api = { http: inMemory(answer), credentialName: 'Model Router API' };
	const request = { method: 'GET', path: '/api/v1/data-tables' } as const;
	expect(await requestN8n(api, request, 'dataTable:list', (body) => body)).toEqual([1, 2]);
});

it('each answer says how far the clock of n8n is ahead', async () => {
	const clock = virtualClock();
	const date = (time: number) => ({ headers: { date: new Date(time).toUTCString() } });
	const answers = [json([], date(90_000)), json([]), json([], date(10_000))];
	const send = async () => ({ ...response(answers.shift()!), clock });
	const api: N8nApi = { http: { send }, credentialName: 'Model Router API' };
	const ahead: Array<number | undefined> = [];
	while (answers.length) {
		await requestN8n(api, { method: 'GET', path: '/' }, 'dataTable:list', (body) => body);
		ahead.push(api.ahead);
	}
	expect(ahead).toEqual([90_000, 90_000, 10_000]);
});

it('where n8n is not reached, the field that is named is n8n URL', async () => {
	const advice = 'Check the base URL of the credential.';
	const failure = await failed(new ServiceError('unreachable', 'x', { sent: false, advice }));
	expect(failure.details.advice).toBe('Check the n8n URL of the credential.');
});
