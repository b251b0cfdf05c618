import type {
	ICredentialDataDecryptedObject,
	ICredentialsDecrypted,
	ICredentialTestFunctions,
	INodeCredentialTestResult,
} from 'n8n-workflow';

import { describeStatus, isWebPage, describeWebPage, nameN8n } from '../core/errorResponses';
import { ServiceError } from '../core/errors';
import { tryParseJson } from '../core/json';
import { normalizeApiKey, normalizeBaseUrl } from '../core/urls';
import { N8N_HEADER } from './headerAuth';
import { findKeyOrigins, findLedgerKey, readLedgerPart, usesLedger } from './ledgerCredential';
import { toNetworkError } from './networkErrors';
import { createRedactor, isShortWord, type Redactor } from './redact';

/** How a credential is tested: with one request that is free. */
export interface CredentialProbe {
	/** What is behind the base URL, e.g. `The model router`. */
	service: string;
	method: 'GET' | 'POST';
	/** Below the base URL. */
	path: string;
	/** A version at the end of the base URL, which may be present, missing or doubled. */
	version?: string;
	header: (key: string) => Record<string, string>;
	body?: object;
	/** @returns what the response says about the key; undefined if only its status counts. */
	judge(answer: ProbeResponse): INodeCredentialTestResult | undefined;
}

/** Tests the part of a credential that is for the job ledger. @param send Sends a request to n8n. */
export type LedgerCheck = (
	send: (request: {
		method: 'DELETE' | 'GET' | 'PATCH' | 'POST';
		/** Below the n8n URL. */
		path: string;
		body?: object;
	}) => Promise<ProbeResponse>,
	table: string,
) => Promise<{ isUsable: boolean; message: string }>;

interface ProbeResponse {
	status: number;
	/** Parsed where it is JSON, otherwise the text. */
	body: unknown;
	/** What came in place of the service's response, in a few words: `an HTML page: "Sign in"`. */
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
 * Makes the function that n8n calls when a credential is saved. It tests the service, and the job ledger if the credential has one,
 * and says which of them is wrong.
 *
 * n8n's declarative form follows redirects with the key, retries after 401, and can neither treat an error status as success nor
 * give a success message. This follows no redirect, and sends each key to its own address only.
 *
 * @param checkLedger Required where the credential can have a job ledger.
 * @see n8n 2.41.1, services/credentials-tester.service.js (testCredentials)
 */
export function createCredentialTest(probe: CredentialProbe, checkLedger?: LedgerCheck) {
	return async function (
		this: ICredentialTestFunctions,
		{ data = {} }: ICredentialsDecrypted<ICredentialDataDecryptedObject>,
	): Promise<INodeCredentialTestResult> {
		const redact = createRedactor(findLedgerKey(data));
		const report = async (test: () => Promise<INodeCredentialTestResult>) => {
			const { status, message } = await test().catch(toFailedTest);
			return { status, message: redact.text(message) };
		};
		const origins = await report(async () => {
			findKeyOrigins(data);
			return { status: 'OK', message: '' };
		});
		if (origins.status === 'Error') return origins;
		const service = warnOfShortKey(
			await report(async () => await testService(this.helpers, data, probe, redact)),
			data,
		);
		if (!checkLedger || !usesLedger(data)) return service;
		const ledger = await report(async () => await testLedger(this.helpers, data, checkLedger));
		const name = service.status === 'OK' ? '' : `${probe.service}: `;
		return {
			status: service.status === 'OK' ? ledger.status : 'Error',
			message: `${name}${service.message.replace(/\.$/, '')}. The job ledger: ${nameN8n(ledger.message)}`,
		};
	};
}

async function testService(
	helpers: ICredentialTestFunctions['helpers'],
	data: ICredentialDataDecryptedObject,
	{ service, method, path, version, header, body, judge }: CredentialProbe,
	redact: Redactor,
): Promise<INodeCredentialTestResult> {
	const key = normalizeApiKey(data['apiKey']);
	redact.addKey(key);
	const uri = normalizeBaseUrl(String(data['baseUrl'] ?? ''), version) + path;
	const answer = await sendProbe(helpers, { method, uri, headers: header(key), body });
	const { status, page } = answer;
	const isGood = status >= 200 && status < 300;
	if (page && isGood) return notFromServiceResult(`The address answered with ${page}`);
	const verdict = judge(answer);
	if (verdict) return verdict;
	if (isGood) return { status: 'OK', message: `${service} accepted the key` };
	const said = [describeStatus(status), page && `It sent ${page}`, STATUS_ADVICE[status]];
	return { status: 'Error', message: said.filter(Boolean).join('. ') };
}

async function testLedger(
	helpers: ICredentialTestFunctions['helpers'],
	data: ICredentialDataDecryptedObject,
	check: LedgerCheck,
): Promise<INodeCredentialTestResult> {
	const { baseUrl, apiKey, table } = readLedgerPart(data);
	const headers = { [N8N_HEADER]: apiKey };
	const { isUsable, message } = await check(
		async ({ path, ...request }) =>
			await sendProbe(helpers, { ...request, uri: baseUrl + path, headers }),
		table,
	);
	return { status: isUsable ? 'OK' : 'Error', message };
}

function toFailedTest(cause: unknown): INodeCredentialTestResult {
	const error = cause instanceof ServiceError ? cause : toNetworkError(cause);
	const message = [error.message, error.details.advice ?? error.details.reason]
		.filter(Boolean)
		.join('. ');
	return { status: 'Error', message };
}

/** A key that may be part of an ordinary word or number cannot be redacted in outputs. */
function warnOfShortKey(
	verdict: INodeCredentialTestResult,
	{ apiKey }: ICredentialDataDecryptedObject,
): INodeCredentialTestResult {
	const key = String(apiKey).trim();
	if (verdict.status !== 'OK' || !isShortWord(key)) return verdict;
	return {
		...verdict,
		message: `${verdict.message}. It is a short word: if the service repeats it in an answer, it stays in the output`,
	};
}

/** `request` is the only HTTP helper that n8n gives a credential test (n8n-core 2.41.1, credentials-test-context.js). */
async function sendProbe(
	{ request }: ICredentialTestFunctions['helpers'],
	{ method, uri, headers, body: sent }: ProbeRequest,
): Promise<ProbeResponse> {
	const {
		statusCode,
		body,
		headers: received,
	} = (await request({
		...{ method, uri, ...(sent && { body: sent }) },
		headers: { accept: 'application/json', ...headers },
		json: true,
		followRedirect: false,
		followAllRedirects: false,
		simple: false,
		resolveWithFullResponse: true,
		timeout: TIMEOUT,
	})) as { statusCode: number; body: unknown; headers?: Record<string, unknown> };
	const type = String(received?.['content-type'] ?? '').toLowerCase();
	if (typeof body !== 'string') return { status: statusCode, body };
	const page = isWebPage(body, type) ? { page: lowerFirst(describeWebPage(body)) } : {};
	return { status: statusCode, body: tryParseJson(body.trim()) ?? body, ...page };
}

interface ProbeRequest {
	method: string;
	uri: string;
	headers: Record<string, string>;
	body?: object | undefined;
}

const lowerFirst = (words: string) => words.charAt(0).toLowerCase() + words.slice(1);

const STATUS_ADVICE: Record<number, string> = {
	401: 'Copy the key again; each workspace and each interface has a key of its own.',
	404: 'Check the base URL.',
	405: 'Check the base URL.',
};
