import { determineOutcome } from '../../../src/core/errors';
import { createN8nHttp, toNetworkError } from '../../../src/n8n/http';
import { createRedactor } from '../../../src/n8n/redact';
import { defaultRequestSettings } from '../../../src/n8n/requestSettings';
import { failureOf } from '../inMemoryHttp';
import { virtualClock } from '../virtualClock';
import { executeContext } from './executeContext';

/** As n8n's helper gives it: a NodeApiError around axios' error around Node's. */
const thrown = (code: string, writableFinished?: boolean, message = `connect ${code}`) => ({
	name: 'NodeApiError',
	message: 'The connection cannot be established',
	cause: {
		name: 'AxiosError',
		message,
		code,
		...(writableFinished !== undefined && { request: { writableFinished } }),
	},
});

const REFUSED = 'The service could not be reached: nothing answers at this address';
const NO_HOST = 'The service could not be reached: its host name was not found';
const BROKE = 'The connection to the service broke before it answered';
const LATE = 'The service did not answer in time';

it.each<readonly [string, boolean | undefined, boolean | undefined, string]>([
	['ECONNREFUSED', false, false, REFUSED],
	['ECONNREFUSED', undefined, false, REFUSED],
	['ENOTFOUND', undefined, false, NO_HOST],
	['EAI_AGAIN', undefined, false, NO_HOST],
	['ECONNRESET', false, false, BROKE],
	['ECONNRESET', undefined, undefined, BROKE],
	['ECONNABORTED', true, true, LATE],
	['ETIMEDOUT', true, true, LATE],
	['ETIMEDOUT', false, false, LATE],
	['HPE_INVALID_CONSTANT', true, true, 'The service answered with something that is not HTTP'],
	...['EHOSTUNREACH', 'ENETUNREACH'].map((code) => [code, undefined, false, BROKE] as const),
	// the kernel reports these of established connections as well: a route that was withdrawn, a network that went away
	...[
		'ECONNRESET',
		'EPIPE',
		'ECONNREFUSED',
		'EHOSTUNREACH',
		'ENETUNREACH',
		'EADDRNOTAVAIL',
		'ENOTFOUND',
		'EPROTO',
		'ERR_SSL_WRONG_VERSION_NUMBER',
		'CERT_HAS_EXPIRED',
	].map((code) => [code, true, true, BROKE] as const),
])('%s, written %s: sent %s', (code, written, sent, message) => {
	const error = toNetworkError(thrown(code, written));
	const details = { code, reason: `connect ${code}` };
	expect(error).toMatchObject({ kind: 'unreachable', message, details });
	expect(error.details.sent).toBe(sent);
	expect(error.details).not.toHaveProperty('permanent');
	expect(determineOutcome(error)).toBe(sent === false ? 'not_started' : 'unknown');
});

const UNTRUSTED = [undefined, 'The certificate of the service is not trusted'] as const;
const NO_TLS = [false, 'The service does not speak https at this address'] as const;

it.each([
	...[
		'CERT_HAS_EXPIRED',
		'DEPTH_ZERO_SELF_SIGNED_CERT',
		'SELF_SIGNED_CERT_IN_CHAIN',
		'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
		'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
		'ERR_TLS_CERT_ALTNAME_INVALID',
	].map((code) => [code, ...UNTRUSTED] as const),
	...['EPROTO', 'ERR_SSL_WRONG_VERSION_NUMBER'].map((code) => [code, ...NO_TLS] as const),
])('%s, written %s, is for good: %s', (code, written, message) => {
	const certificate = { advice: expect.stringContaining('NODE_EXTRA_CA_CERTS') };
	const protocol = {
		reason: code,
		advice: 'Check http:// or https:// and the port in the base URL of the credential.',
	};
	expect(toNetworkError(thrown(code, written))).toMatchObject({
		message,
		details: { sent: false, permanent: true, ...(written === false ? protocol : certificate) },
	});
});

it('an address that n8n blocks is for good, in the words of n8n', () => {
	const cause = { name: 'SsrfBlockedIpError', message: 'IP 10.0.0.1 is blocked' };
	expect(toNetworkError({ name: 'NodeApiError', message: 'x', cause })).toMatchObject({
		message: 'n8n does not allow requests to this address',
		details: {
			sent: false,
			permanent: true,
			reason: 'IP 10.0.0.1 is blocked',
			advice: expect.stringContaining('N8N_SSRF_ALLOWED_HOSTNAMES'),
		},
	});
});

it.each([[true], [false], [undefined]])('after Stop it is stopped, written %s', (written) => {
	const error = toNetworkError(thrown('ERR_CANCELED', written), { isStopped: true });
	expect(error).toMatchObject({ kind: 'cancelled', message: 'The execution was stopped' });
	expect(error.details).toEqual(written === undefined ? {} : { sent: written });
});

it('the total timeout is named', () => {
	expect(toNetworkError(thrown('ERR_CANCELED', true), { isOverdue: true })).toMatchObject({
		message: 'The service did not answer within the total timeout',
		details: { sent: true },
	});
});

it.each([[undefined], [null], ['text'], [17], [{}], [new Error('plain')]])(
	'makes something of %p',
	(error) => {
		expect(toNetworkError(error)).toMatchObject({ kind: 'unreachable', message: BROKE });
	},
);

it('does not run in circles', () => {
	const loop: { message: string; cause?: unknown } = { message: 'round' };
	loop.cause = loop;
	expect(toNetworkError(loop).details.reason).toBe('round');
});

it('a claim that ends while the budget is read is renewed before anything is sent', async () => {
	const clock = virtualClock();
	const reads = [1500, 500];
	const renewed: number[] = [];
	const http = createN8nHttp(executeContext({}), {
		credential: 'none',
		data: {},
		baseUrl: 'https://router.example',
		settings: defaultRequestSettings,
		budget: { check: async () => await clock.sleep(reads.shift() ?? 0) },
		redact: createRedactor(),
		clock,
	});
	const beforeAttempt = async () => {
		renewed.push(clock.now());
		return clock.now() + 1000;
	};
	await failureOf(http.send({ method: 'POST', path: '/v1/images/jobs', beforeAttempt }));
	expect([renewed, reads]).toEqual([[0, 1500], []]);
});
