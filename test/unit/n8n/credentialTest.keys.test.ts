import type { ICredentialTestFunctions } from 'n8n-workflow';

import { createCredentialTest } from '../../../src/n8n/credentialTest';
import { X_API_KEY } from '../../../src/core/keyPlace';
import { everySpelling, KEY, spellingsIn } from '../../support/spellings';

// what the test of a credential says of its key
const tested = async (
	apiKey: string,
	request: (options: object) => Promise<unknown>,
	more = {},
) => {
	const headers = [1, 2, 3].flatMap((number) => [
		[`additionalHeader${number}Name`, ''],
		[`additionalHeader${number}Value`, ''],
	]);
	const data = {
		apiKey,
		baseUrl: 'https://service.example',
		...(Object.fromEntries(headers) as Record<string, string>),
	};
	const test = createCredentialTest(
		{ credential: 'a', credentialName: 'A', endpoints: /never/, keyPlace: () => X_API_KEY },
		{ service: 'The service', method: 'GET', path: '/', judge: () => undefined, ...more },
	);
	const n8n = { helpers: { request } } as unknown as ICredentialTestFunctions;
	return await test.call(n8n, { id: '1', name: 'a', type: 'b', data });
};

it('a key is not in what it says of a failure', async () => {
	const { status, message } = await tested(KEY, async () => {
		throw Object.assign(new Error(`no way to ${everySpelling(KEY)}`), { code: 'EOTHER' });
	});
	expect([status, message]).toEqual(['Error', expect.stringContaining('***')]);
	expect(spellingsIn([message], KEY)).toEqual([]);
});

it('a stream that only stays open does not hold up the user', async () => {
	jest.useFakeTimers();
	const result = tested(KEY, async () => await new Promise(() => {}));
	await jest.advanceTimersByTimeAsync(30_000);
	expect(await result).toEqual({ status: 'Error', message: 'The answer did not end in time' });
	jest.useRealTimers();
});

it.each([
	['word', /^The service accepted the key\. It is a short word/],
	['1234567', /^The service accepted the key\. It is a short word/],
	['key-123', /^The service accepted the key$/],
	['longword', /^The service accepted the key$/],
])('of the key "%s" it says whether it can be kept out of outputs', async (apiKey, expected) => {
	const answer = { statusCode: 200, headers: {}, body: { data: [] } };
	const { status, message } = await tested(apiKey, async () => answer);
	expect([status, message]).toEqual(['OK', expect.stringMatching(expected)]);
});

it.each([
	[
		200,
		'The service was reached. Whether it accepts the key is not known: it gives its list to everybody',
	],
	[401, 'The service accepted the key'],
])('what answers %i without the key, too', async (statusCode, said) => {
	const request = async (options: object) => {
		const hasKey = JSON.stringify(options).includes('X-API-Key');
		return await Promise.resolve({ statusCode: hasKey ? 200 : statusCode, headers: {}, body: {} });
	};
	const { status, message } = await tested(KEY, request, { maybePublic: 'its list' });
	expect([status, message]).toEqual(['OK', said]);
	expect((await tested(KEY, request)).message).toBe('The service accepted the key');
});
