import { ServiceError, type ServiceErrorDetails, cancelledError } from '../core/errors';
import { wasRequestSent } from './platform';

/** Codes that mean that the service received no readable request. */
const NOT_SENT_CODES =
	/^(ECONNREFUSED|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH|EADDRNOTAVAIL|EPROTO|ERR_INVALID_URL|ERR_TLS_\w+|CERT_\w+|\w*SELF_SIGNED\w*|UNABLE_TO_\w+|DEPTH_ZERO\w*|SsrfBlocked\w*)$/;
const CERTIFICATE_CODES =
	/^(ERR_TLS_CERT\w*|CERT_\w+|\w*SELF_SIGNED\w*|UNABLE_TO_\w+|HOSTNAME_MISMATCH)$/;
const WRONG_PROTOCOL_CODES = /^(EPROTO|ERR_SSL_\w+)$/;

/**
 * Explains why no response head arrived, and whether the request was sent.
 *
 * n8n wraps axios' error in a NodeApiError, as its `cause`; there the request itself can be asked.
 */
export function toNetworkError(
	error: unknown,
	{ isOverdue = false, isStopped = false }: { isOverdue?: boolean; isStopped?: boolean } = {},
): ServiceError {
	const { code, name, sent, message } = readErrorChain(error);
	if (isStopped) return cancelledError(sent);
	const [sentence, more] = describeFailure({ code, name, sent, isOverdue });
	return new ServiceError('unreachable', sentence, {
		reason: [message, code && !message.includes(code) && `(${code})`].filter(Boolean).join(' '),
		...(code && { code }),
		...(sent !== undefined && { sent }),
		...more,
	});
}

interface Failure {
	code: string;
	name: string;
	sent: boolean | undefined;
	isOverdue: boolean;
}

function describeFailure({
	code,
	name,
	sent,
	isOverdue,
}: Failure): [sentence: string, details?: ServiceErrorDetails] {
	if (sent) return [describeBrokenConnection(code, isOverdue)];
	if (/^SsrfBlocked/.test(name))
		return ['n8n does not allow requests to this address', { sent: false, permanent: true }];
	if (CERTIFICATE_CODES.test(code)) {
		const advice =
			'Check the base URL; a private certificate authority has to be made known to n8n (NODE_EXTRA_CA_CERTS).';
		return [
			'The certificate of the service is not trusted',
			{ sent: false, permanent: true, advice },
		];
	}
	if (WRONG_PROTOCOL_CODES.test(code)) {
		const advice = 'Check http:// or https:// and the port in the base URL of the credential.';
		return ['The service does not speak https at this address', { permanent: true, advice }];
	}
	if (code === 'ECONNREFUSED')
		return ['The service could not be reached: nothing answers at this address'];
	if (code === 'ENOTFOUND' || code === 'EAI_AGAIN') {
		const advice = 'Check the base URL of the credential and the name server of the n8n machine.';
		return ['The service could not be reached: its host name was not found', { advice }];
	}
	return [describeBrokenConnection(code, isOverdue)];
}

/** For a failure after the connection was established: its address and certificate were accepted. */
function describeBrokenConnection(code: string, isOverdue: boolean): string {
	if (isOverdue) return 'The service did not answer within the total timeout';
	if (code === 'ECONNABORTED' || code === 'ETIMEDOUT') return 'The service did not answer in time';
	if (/^HPE_/.test(code)) return 'The service answered with something that is not HTTP';
	return 'The connection to the service broke before it answered';
}

function readErrorChain(error: unknown) {
	let code = '';
	let name = '';
	let message = '';
	let sent: boolean | undefined;
	let at: unknown = error;
	for (let depth = 0; at instanceof Object && depth < 6; depth++) {
		const link = at as {
			code?: unknown;
			name?: unknown;
			message?: unknown;
			cause?: unknown;
		};
		if (typeof link.code === 'string' && !code) code = link.code;
		if (typeof link.name === 'string' && (!name || /^SsrfBlocked/.test(link.name)))
			name = link.name;
		// the innermost message is the network's own; those around it are n8n's general ones
		if (typeof link.message === 'string' && link.message) message = link.message;
		sent ??= wasRequestSent(at);
		at = link.cause;
	}
	// The code counts only without a request that can be asked: the kernel also reports EHOSTUNREACH, ENETUNREACH and the like for an
	// established connection, after the service has received everything.
	if (sent === undefined && (NOT_SENT_CODES.test(code) || /^SsrfBlocked/.test(name))) sent = false;
	return { code, name, sent, message };
}
