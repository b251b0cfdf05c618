import { determineOutcome } from '../../../src/core/errors';
import { toNetworkError } from '../../../src/n8n/http';

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

it.each<[string, boolean | undefined, boolean | undefined, string]>([
	[
		'ECONNREFUSED',
		false,
		false,
		'The service could not be reached: nothing answers at this address',
	],
	[
		'ECONNREFUSED',
		undefined,
		false,
		'The service could not be reached: nothing answers at this address',
	],
	['ENOTFOUND', undefined, false, 'The service could not be reached: its host name was not found'],
	['EAI_AGAIN', undefined, false, 'The service could not be reached: its host name was not found'],
	['EHOSTUNREACH', undefined, false, 'The connection to the service broke before it answered'],
	['ENETUNREACH', undefined, false, 'The connection to the service broke before it answered'],
	['ECONNRESET', true, true, 'The connection to the service broke before it answered'],
	['ECONNRESET', false, false, 'The connection to the service broke before it answered'],
	['ECONNRESET', undefined, undefined, 'The connection to the service broke before it answered'],
	['EPIPE', true, true, 'The connection to the service broke before it answered'],
	['ECONNABORTED', true, true, 'The service did not answer in time'],
	['ETIMEDOUT', true, true, 'The service did not answer in time'],
	['ETIMEDOUT', false, false, 'The service did not answer in time'],
	['HPE_INVALID_CONSTANT', true, true, 'The service answered with something that is not HTTP'],
])('%s, written %s: sent %s', (code, written, sent, message) => {
	const error = toNetworkError(thrown(code, written));
	expect(error).toMatchObject({
		kind: 'unreachable',
		message,
		details: { code, reason: `connect ${code}` },
	});
	expect(error.details.sent).toBe(sent);
	expect(error.details).not.toHaveProperty('permanent');
});

// the kernel reports these of established connections as well: a route that was withdrawn, a network that went away
it.each([
	['ECONNREFUSED'],
	['EHOSTUNREACH'],
	['ENETUNREACH'],
	['EADDRNOTAVAIL'],
	['ENOTFOUND'],
	['EPROTO'],
	['ERR_SSL_WRONG_VERSION_NUMBER'],
	['CERT_HAS_EXPIRED'],
])('%s of a request that has left does not make it one that was not sent', (code) => {
	const error = toNetworkError(thrown(code, true));
	expect(error.message).toBe('The connection to the service broke before it answered');
	expect(error.details).toMatchObject({ code, sent: true });
	expect(error.details).not.toHaveProperty('permanent');
	expect(determineOutcome(error)).toBe('unknown');
});

it.each([
	['CERT_HAS_EXPIRED'],
	['DEPTH_ZERO_SELF_SIGNED_CERT'],
	['SELF_SIGNED_CERT_IN_CHAIN'],
	['UNABLE_TO_VERIFY_LEAF_SIGNATURE'],
	['UNABLE_TO_GET_ISSUER_CERT_LOCALLY'],
	['ERR_TLS_CERT_ALTNAME_INVALID'],
])('%s is for good, and nothing was sent', (code) => {
	expect(toNetworkError(thrown(code))).toMatchObject({
		message: 'The certificate of the service is not trusted',
		details: {
			sent: false,
			permanent: true,
			advice: expect.stringContaining('NODE_EXTRA_CA_CERTS'),
		},
	});
});

it.each([['EPROTO'], ['ERR_SSL_WRONG_VERSION_NUMBER']])('%s is the wrong protocol', (code) => {
	expect(toNetworkError(thrown(code, false))).toMatchObject({
		message: 'The service does not speak https at this address',
		details: {
			sent: false,
			permanent: true,
			reason: code,
			advice: 'Check http:// or https:// and the port in the base URL of the credential.',
		},
	});
});

it('an address that n8n blocks is for good, in the words of n8n', () => {
	const blocked = {
		name: 'NodeApiError',
		message: 'x',
		cause: { name: 'SsrfBlockedIpError', message: 'IP 10.0.0.1 is blocked' },
	};
	expect(toNetworkError(blocked)).toMatchObject({
		message: 'n8n does not allow requests to this address',
		details: {
			...{ sent: false, permanent: true, reason: 'IP 10.0.0.1 is blocked' },
			advice: expect.stringContaining('N8N_SSRF_ALLOWED_HOSTNAMES'),
		},
	});
});

it.each<[boolean | undefined]>([[true], [false], [undefined]])(
	'after Stop it is stopped, written %s',
	(written) => {
		const error = toNetworkError(thrown('ERR_CANCELED', written), { isStopped: true });
		expect(error).toMatchObject({ kind: 'cancelled', message: 'The execution was stopped' });
		expect(error.details).toEqual(written === undefined ? {} : { sent: written });
	},
);

it('the total timeout is named', () => {
	expect(toNetworkError(thrown('ERR_CANCELED', true), { isOverdue: true })).toMatchObject({
		message: 'The service did not answer within the total timeout',
		details: { sent: true },
	});
});

it.each([[undefined], [null], ['text'], [17], [{}], [new Error('plain')]])(
	'makes something of %p',
	(error) => {
		expect(toNetworkError(error)).toMatchObject({
			kind: 'unreachable',
			message: 'The connection to the service broke before it answered',
		});
	},
);

it('does not run in circles', () => {
	const loop: { message: string; cause?: unknown } = { message: 'round' };
	loop.cause = loop;
	expect(toNetworkError(loop).details.reason).toBe('round');
});
