import { ServiceError, type ServiceErrorDetails } from '../service/errors';
import { stopped } from './body';

/** Nothing left this machine, or nothing that the service could read as a request. */
const NOT_SENT =
	/^(ECONNREFUSED|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH|EADDRNOTAVAIL|EPROTO|ERR_INVALID_URL|ERR_TLS_\w+|CERT_\w+|\w*SELF_SIGNED\w*|UNABLE_TO_\w+|DEPTH_ZERO\w*|SsrfBlocked\w*)$/;
const CERTIFICATE =
	/^(ERR_TLS_CERT\w*|CERT_\w+|\w*SELF_SIGNED\w*|UNABLE_TO_\w+|HOSTNAME_MISMATCH)$/;
const WRONG_PROTOCOL = /^(EPROTO|ERR_SSL_\w+)$/;

/**
 * Says why no response head arrived, and whether the request had left.
 *
 * n8n wraps axios' error in a NodeApiError; `cause.request` is Node's request, and its `writableFinished` tells exactly
 * whether all of it was handed over.
 */
export function unreachable(
	error: unknown,
	{ total, stop }: { total?: Pick<AbortSignal, 'aborted'>; stop?: AbortSignal | undefined },
): ServiceError {
	const { code, name, sent, words } = look(error);
	if (stop?.aborted) return stopped(sent);
	const details: ServiceErrorDetails = {
		reason: [words, code && !words.includes(code) && `(${code})`].filter(Boolean).join(' '),
		...(code && { code }),
		...(sent !== undefined && { sent }),
	};
	const failed = (message: string, more: ServiceErrorDetails = {}) =>
		new ServiceError('unreachable', message, { ...details, ...more });

	if (/^SsrfBlocked/.test(name)) {
		return failed('n8n does not allow requests to this address', { sent: false, permanent: true });
	}
	if (CERTIFICATE.test(code)) {
		return failed('The certificate of the service is not trusted', {
			sent: false,
			permanent: true,
			advice:
				'Check the base URL; a private certificate authority has to be made known to n8n (NODE_EXTRA_CA_CERTS).',
		});
	}
	if (WRONG_PROTOCOL.test(code)) {
		return failed('The service does not speak https at this address', {
			permanent: true,
			advice: 'Check http:// or https:// and the port in the base URL of the credential.',
		});
	}
	if (code === 'ECONNREFUSED')
		return failed('The service could not be reached: nothing answers at this address');
	if (code === 'ENOTFOUND' || code === 'EAI_AGAIN') {
		return failed('The service could not be reached: its host name was not found', {
			advice: 'Check the base URL of the credential and the name server of the n8n machine.',
		});
	}
	if (total?.aborted) return failed('The service did not answer within the total limit');
	if (code === 'ECONNABORTED' || code === 'ETIMEDOUT')
		return failed('The service did not answer in time');
	if (/^HPE_/.test(code)) return failed('The service answered with something that is not HTTP');
	return failed('The connection to the service broke before it answered');
}

function look(error: unknown) {
	let [code, name, words] = ['', '', ''];
	let sent: boolean | undefined;
	let at: unknown = error;
	for (let depth = 0; at instanceof Object && depth < 6; depth++) {
		const link = at as {
			code?: unknown;
			name?: unknown;
			message?: unknown;
			cause?: unknown;
			request?: { writableFinished?: unknown };
		};
		if (typeof link.code === 'string' && !code) code = link.code;
		if (typeof link.name === 'string' && (!name || /^SsrfBlocked/.test(link.name)))
			name = link.name;
		// the innermost words are the network's own, those around them n8n's general ones
		if (typeof link.message === 'string' && link.message) words = link.message;
		if (typeof link.request?.writableFinished === 'boolean') sent ??= link.request.writableFinished;
		at = link.cause;
	}
	// without a request, only a code that leaves no doubt says that nothing was sent
	if (sent !== false && (NOT_SENT.test(code) || /^SsrfBlocked/.test(name))) sent = false;
	return { code, name, sent, words };
}
