import type {
	ICredentialDataDecryptedObject,
	ICredentialsDecrypted,
	ICredentialTestFunctions,
	INodeCredentialTestResult,
} from 'n8n-workflow';

import { cleanKey, normaliseBaseUrl } from '../service/address';
import { ServiceError } from '../service/errors';
import { refusalSentence } from '../service/refusals';
import { redactor } from './redact';
import { unreachable } from './unreachable';

/** How a credential is tried out: with one request that costs nothing. */
export interface Probe {
	method: 'GET' | 'POST';
	/** Below the base URL. */
	path: string;
	/** A version that ends the base URL and may be there, missing or doubled. */
	version?: string;
	/** Whether the address may begin with http:// anywhere. */
	plain?: boolean;
	header: (key: string) => Record<string, string>;
	body?: object;
	/** @returns what an answer with this status tells of the key; undefined to judge it by the status alone. */
	judge(status: number): INodeCredentialTestResult | undefined;
}

/** Milliseconds. A person is waiting. */
const TIMEOUT = 15_000;

/**
 * Makes the function that n8n calls when a credential is saved.
 *
 * n8n's declarative form follows redirects, with the key, asks again after 401, and can neither call a refusal good news nor
 * word a success. One request is sent, and nothing is followed.
 *
 * @see n8n 2.41.1, services/credentials-tester.service.js (testCredentials)
 */
export function credentialTest({ method, path, version, plain, header, body, judge }: Probe) {
	return async function (
		this: ICredentialTestFunctions,
		{ data = {} }: ICredentialsDecrypted<ICredentialDataDecryptedObject>,
	): Promise<INodeCredentialTestResult> {
		let redact = redactor('');
		try {
			const key = cleanKey(data['apiKey']);
			redact = redactor(key);
			const uri = normaliseBaseUrl(String(data['baseUrl'] ?? ''), version, plain) + path;
			const headers = { accept: 'application/json', ...header(key) };
			const statusCode = await statusOf(this.helpers, {
				method,
				uri,
				headers,
				...(body && { body }),
			});
			const verdict = judge(statusCode);
			if (verdict) return verdict;
			if (statusCode >= 200 && statusCode < 300)
				return { status: 'OK', message: 'The service accepted the key' };
			return {
				status: 'Error',
				message: `${refusalSentence(statusCode)}. ${ADVICE[statusCode] ?? ''}`.trim(),
			};
		} catch (cause) {
			const error = cause instanceof ServiceError ? cause : unreachable(cause, {});
			const message = [error.message, error.details.advice ?? error.details.reason]
				.filter(Boolean)
				.join('. ');
			return { status: 'Error', message: redact.text(message) };
		}
	};
}

/** `request` is the only way to send that n8n gives a credential test (n8n-core 2.41.1, credentials-test-context.js). */
async function statusOf(
	{ request }: ICredentialTestFunctions['helpers'],
	options: object,
): Promise<number> {
	const { statusCode } = (await request({
		...options,
		json: true,
		followRedirect: false,
		followAllRedirects: false,
		simple: false,
		resolveWithFullResponse: true,
		timeout: TIMEOUT,
	})) as { statusCode: number };
	return statusCode;
}

const ADVICE: Record<number, string> = {
	401: 'Copy the key again; each workspace and each interface has a key of its own.',
	404: 'Check the base URL.',
	405: 'Check the base URL.',
};
