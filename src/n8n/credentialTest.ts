import type {
	ICredentialDataDecryptedObject,
	ICredentialsDecrypted,
	ICredentialTestFunctions,
	INodeCredentialTestResult,
} from 'n8n-workflow';

import { describeStatus, isWebPage, describeWebPage } from '../core/errorResponses';
import { ServiceError } from '../core/errors';
import { tryParseJson } from '../core/json';
import { normalizeApiKey, normalizeBaseUrl } from '../core/urls';
import { toNetworkError } from './networkErrors';
import { isPlainWord, createRedactor, MIN_KEY_LENGTH } from './redact';

/** How a credential is tested: with one request that is free. */
export interface CredentialProbe {
	method: 'GET' | 'POST';
	/** Below the base URL. */
	path: string;
	/** A version at the end of the base URL, which may be present, missing or doubled. */
	version?: string;
	/** Whether http:// is allowed for every host. */
	allowsHttp?: boolean;
	header: (key: string) => Record<string, string>;
	body?: object;
	/** @returns what the response says about the key; undefined if only its status counts. */
	judge(answer: ProbeResponse): INodeCredentialTestResult | undefined;
}

interface ProbeResponse {
	status: number;
	/** Parsed where it is JSON, otherwise the text. */
	body: unknown;
	/** What came in place of the service's response, in a few words: `An HTML page: "Sign in"`. */
	page?: string;
}

/** For a response that is not the service's: a login page, a proxy, another site. */
export const notFromServiceResult = (what: string): INodeCredentialTestResult => ({
	status: 'Error',
	message: `${what}. The key was not tested. Check the base URL, and whether a proxy or a login page is in between.`,
});

/** Milliseconds. A user is waiting. */
const TIMEOUT = 15_000;

/**
 * Makes the function that n8n calls when a credential is saved.
 *
 * n8n's declarative form follows redirects with the key, retries after 401, and can neither treat an error status as success nor
 * give a success message. This sends one request, and follows no redirect.
 *
 * @see n8n 2.41.1, services/credentials-tester.service.js (testCredentials)
 */
export function createCredentialTest({
	method,
	path,
	version,
	allowsHttp,
	header,
	body,
	judge,
}: CredentialProbe) {
	return async function (
		this: ICredentialTestFunctions,
		{ data = {} }: ICredentialsDecrypted<ICredentialDataDecryptedObject>,
	): Promise<INodeCredentialTestResult> {
		let redact = createRedactor('');
		const redacted = ({
			status,
			message,
		}: INodeCredentialTestResult): INodeCredentialTestResult => ({
			status,
			message: redact.text(message),
		});
		try {
			const key = normalizeApiKey(data['apiKey']);
			redact = createRedactor(key);
			const uri = normalizeBaseUrl(String(data['baseUrl'] ?? ''), version, allowsHttp) + path;
			const headers = { accept: 'application/json', ...header(key) };
			const options = { method, uri, headers, ...(body && { body }) };
			const answer = await sendProbe(this.helpers, options);
			const { status: statusCode, page } = answer;
			const isGood = statusCode >= 200 && statusCode < 300;
			if (page && isGood)
				return redacted(notFromServiceResult(`The address answered with ${lowerFirst(page)}`));
			const verdict = judge(answer);
			if (verdict) return warnOfShortKey(redacted(verdict), key);
			if (isGood)
				return warnOfShortKey({ status: 'OK', message: 'The service accepted the key' }, key);
			const said = [
				describeStatus(statusCode),
				page && `It sent ${lowerFirst(page)}`,
				STATUS_ADVICE[statusCode],
			];
			return redacted({ status: 'Error', message: said.filter(Boolean).join('. ') });
		} catch (cause) {
			const error = cause instanceof ServiceError ? cause : toNetworkError(cause, {});
			const message = [error.message, error.details.advice ?? error.details.reason]
				.filter(Boolean)
				.join('. ');
			return { status: 'Error', message: redact.text(message) };
		}
	};
}

/** A key that may be part of an ordinary word or number cannot be redacted in outputs. */
function warnOfShortKey(
	verdict: INodeCredentialTestResult,
	key: string,
): INodeCredentialTestResult {
	if (verdict.status !== 'OK' || key.length >= MIN_KEY_LENGTH || !isPlainWord(key)) return verdict;
	return {
		...verdict,
		message: `${verdict.message}. It is a short word: if the service repeats it in an answer, it stays in the output`,
	};
}

/** `request` is the only HTTP helper that n8n gives a credential test (n8n-core 2.41.1, credentials-test-context.js). */
async function sendProbe(
	{ request }: ICredentialTestFunctions['helpers'],
	options: object,
): Promise<ProbeResponse> {
	const { statusCode, body, headers } = (await request({
		...options,
		json: true,
		followRedirect: false,
		followAllRedirects: false,
		simple: false,
		resolveWithFullResponse: true,
		timeout: TIMEOUT,
	})) as { statusCode: number; body: unknown; headers?: Record<string, unknown> };
	const type = String(headers?.['content-type'] ?? '').toLowerCase();
	if (typeof body !== 'string') return { status: statusCode, body };
	const page = isWebPage(body, type) ? { page: describeWebPage(body) } : {};
	return { status: statusCode, body: tryParseJson(body.trim()) ?? body, ...page };
}

const lowerFirst = (words: string) => words.charAt(0).toLowerCase() + words.slice(1);

const STATUS_ADVICE: Record<number, string> = {
	401: 'Copy the key again; each workspace and each interface has a key of its own.',
	404: 'Check the base URL.',
	405: 'Check the base URL.',
};
