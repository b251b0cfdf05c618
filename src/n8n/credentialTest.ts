import type {
	ICredentialDataDecryptedObject,
	ICredentialsDecrypted,
	ICredentialTestFunctions,
	INodeCredentialTestResult,
} from 'n8n-workflow';

import { readText } from '../core/body';
import { describeStatus, parseErrorBody } from '../core/errorResponses';
import { describeWebPage, isWebPage } from '../core/webPage';
import { endOfSentence, ServiceError } from '../core/errors';
import { contentTypeOf, type Http, type HttpResponse, toBody } from '../core/http';
import { isPlainObject, tryParseJson } from '../core/json';
import { joinUrl, readBaseUrl } from '../core/urls';
import { findHeaderSecrets, readHeaders, trimKey } from './headers';
import type { ServiceAccess } from './connection';
import { findKeyOrigins, N8N_HEADER, readLedgerPart, usesLedger } from './credential';
import { requireNoItem } from './connect';
import { toNetworkError } from './http';
import { withDeadline } from './deadline';
import { createRedactor, isShortWord, type Redactor } from './redact';

/** How a credential is tested: with one request that is free. */
export interface CredentialProbe {
	/** The service at the base URL, e.g. `The model router`. */
	service: string;
	method: 'GET' | 'POST';
	/** Below the base URL. */
	path: string;
	/** Why nothing is sent, where no request is free. Its fields are checked. */
	untested?: string;
	/** What to do where nothing is at `path`, and the base URL is right. */
	absent?: string;
	/** What is read, if some services give it to everybody: then it proves nothing about the key. */
	maybePublic?: string;
	/** Below the base URL: what only a valid key may read, where `maybePublic` proves nothing. */
	proof?(answer: ProbeResponse): string | undefined;
	body?: object;
	/** Checks fields that nothing else tests. @throws ServiceError `invalid`. */
	checkFields?(data: ICredentialDataDecryptedObject): unknown;
	/** @returns what the response says about the key; undefined if only its status counts. */
	judge(
		answer: ProbeResponse,
		data: ICredentialDataDecryptedObject,
	): INodeCredentialTestResult | undefined;
}

/**
 * Tests the part of a credential that is for the job ledger.
 *
 * @returns a sentence that says that the ledger can be used.
 * @throws ServiceError that says what is wrong.
 */
type LedgerCheck = (
	n8n: { http: Http; credentialName: string },
	table: string,
	data: ICredentialDataDecryptedObject,
) => Promise<string>;

type ProbeResponse = Awaited<ReturnType<typeof readAnswer>>;

/** For a response that is not the service's: a login page, a proxy, another site. */
export const notFromServiceResult = (what: string): INodeCredentialTestResult => ({
	status: 'Error',
	message: `${what}. The key was not tested. Check the base URL, and whether a proxy or a login page is in the way.`,
});

/** Milliseconds without a byte. A user is waiting. */
const TIMEOUT = 15_000;
/** For a stream that only stays open. */
const ENDLESS = { status: 'Error', message: 'The answer did not end in time' } as const;

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
export function createCredentialTest(
	access: ServiceAccess,
	probes: CredentialProbe | ((data: ICredentialDataDecryptedObject) => CredentialProbe),
	checkLedger?: LedgerCheck,
) {
	return async function (
		this: ICredentialTestFunctions,
		{ data = {}, name }: ICredentialsDecrypted<ICredentialDataDecryptedObject>,
	): Promise<INodeCredentialTestResult> {
		const probe = typeof probes === 'function' ? probes(data) : probes;
		const redact = createRedactor(trimKey(data['n8nApiKey']));
		redact.addKey(...findHeaderSecrets(data));
		const report = async (test: () => Promise<INodeCredentialTestResult>) => {
			const result = test().catch(toFailedTest);
			const { status, message } = (await withDeadline(result, 2 * TIMEOUT, undefined)) ?? ENDLESS;
			return { status, message: redact.text(message) };
		};
		const fields = await report(async () => {
			requireNoItem(data);
			findKeyOrigins(data);
			readHeaders(data, access.keyPlace);
			probe.checkFields?.(data);
			return { status: 'OK', message: '' };
		});
		if (fields.status === 'Error') return fields;
		const service = warnOfShortKey(
			await report(async () => await testService(this.helpers, data, access, probe, redact)),
			data,
		);
		if (!checkLedger || !usesLedger(data)) return service;
		const ledger = await report(async () => {
			const { baseUrl, apiKey, table } = readLedgerPart(data);
			const http = createProbeHttp(this.helpers, baseUrl, { [N8N_HEADER]: apiKey });
			return {
				status: 'OK',
				message: await checkLedger({ http, credentialName: `"${name}"` }, table, data),
			};
		});
		const subject = service.status === 'OK' ? '' : `${probe.service}: `;
		return {
			status: service.status === 'OK' ? ledger.status : 'Error',
			message: `${subject}${service.message.replace(/\.$/, '')}. ${ledger.message}`,
		};
	};
}

async function testService(
	helpers: ICredentialTestFunctions['helpers'],
	data: ICredentialDataDecryptedObject,
	access: ServiceAccess,
	probe: CredentialProbe,
	redact: Redactor,
): Promise<INodeCredentialTestResult> {
	const { service, method, path, body, judge, maybePublic, proof, untested } = probe;
	redact.addKey(trimKey(data['apiKey']));
	const { ofKey, additional } = readHeaders(data, access.keyPlace);
	// n8n has replaced expressions, so this cannot see what a run refuses: one that gives http:// in the own network
	const baseUrl = readBaseUrl(data['baseUrl'], access);
	if (untested) return { status: 'OK', message: untested };
	const ask = async (at = path, isAnybody = false) => {
		const ofPath = isAnybody ? {} : readHeaders(data, access.keyPlace, at).ofKey;
		const http = createProbeHttp(helpers, baseUrl, { ...additional, ...ofPath });
		return await readAnswer(await http.send({ method, path: at, ...(body && { body }) }));
	};
	const answer = await ask();
	const { status, page } = answer;
	const isGood = isSuccess(status);
	if (page && isGood) return notFromServiceResult(`The address answered with ${page}`);
	const verdict = findKeyRefusal(answer) ?? judge(answer, data);
	if (verdict) return verdict;
	if (!isGood) return { status: 'Error', message: describeRefusal(probe, answer, data) };
	if (!Object.keys(ofKey).length)
		return { status: 'OK', message: `${service} was reached. It gets no key` };
	const at = proof?.(answer);
	const proven = at === undefined ? undefined : await ask(at).catch(() => undefined);
	if (proven && [401, 403].includes(proven.status))
		return { status: 'Error', message: describeRefusal(probe, proven, data) };
	const anybody =
		maybePublic && !isGoodAnswer(proven) ? await ask(path, true).catch(() => undefined) : undefined;
	const message = isGoodAnswer(anybody)
		? `${service} was reached. Whether it accepts the key is not known: it gives ${maybePublic} to everybody`
		: `${service} accepted the key`;
	return { status: 'OK', message };
}

const isGoodAnswer = (answer: ProbeResponse | undefined) =>
	answer !== undefined && isSuccess(answer.status);

function describeRefusal(
	{ service, absent = '' }: CredentialProbe,
	{ status, page }: ProbeResponse,
	{ keyIn }: ICredentialDataDecryptedObject,
): string {
	const sentences = [
		describeStatus(status),
		page && `It sent ${page}`,
		// `The model router` is no name
		status === 401 && `Copy the key of ${service.replace(/^The /, 'the ')} again`,
		// LangGraph's cloud answers 403 to a key that is elsewhere (langchain-ai/chat-langchain#374)
		keyIn && [401, 403].includes(status) && 'Check where the service takes it, in "Key In"',
		[404, 405].includes(status) && `Check the base URL. ${absent}`.trim(),
	];
	return sentences.filter(Boolean).join('. ');
}

const isSuccess = (status: number) => status >= 200 && status < 300;

/** Some services refuse a key with another status, even with 200. */
function findKeyRefusal({ status, body }: ProbeResponse): INodeCredentialTestResult | undefined {
	const mayRefuse = status >= 400 || (isPlainObject(body) && ('error' in body || 'detail' in body));
	const { reason = '' } = mayRefuse ? parseErrorBody(body) : {};
	if (!KEY_REFUSAL.test(reason) || [401, 403].includes(status)) return undefined;
	return { status: 'Error', message: `The service refused the API key (${status}): ${reason}` };
}

const KEY_REFUSAL =
	/\bapi[ _-]?key\b|\b(unauth|authentic)|\b(invalid|incorrect|expired) (\w+ )?(key|token|credential)/i;

async function readAnswer(response: HttpResponse) {
	const text = await readText(response);
	const isPage = isWebPage(text, contentTypeOf(response));
	return {
		status: response.status,
		/** Parsed where it is JSON, otherwise the text. */
		body: tryParseJson(text.trim()) ?? text,
		// what came in place of the service's response, in a few words: `an HTML page: "Sign in"`
		...(isPage && { page: endOfSentence(describeWebPage(text)) }),
	};
}

/** `request` is the only HTTP helper that n8n gives a credential test (n8n-core 2.41.1, credentials-test-context.js). */
function createProbeHttp(
	{ request }: ICredentialTestFunctions['helpers'],
	baseUrl: string,
	headers: Record<string, string>,
): Http {
	return {
		async send({ method, path, body: sent }) {
			try {
				const answer = (await request({
					method,
					uri: joinUrl(baseUrl, path),
					...(sent && { body: sent }),
					headers: { accept: 'application/json', ...headers },
					json: true,
					followRedirect: false,
					followAllRedirects: false,
					simple: false,
					resolveWithFullResponse: true,
					timeout: TIMEOUT,
				})) as { statusCode: number; body: unknown; headers?: HttpResponse['headers'] };
				const { statusCode: status, body, headers: received = {} } = answer;
				const text = typeof body === 'string' ? body : JSON.stringify(body);
				return { status, headers: received, body: toBody(new TextEncoder().encode(text)) };
			} catch (cause) {
				throw toNetworkError(cause);
			}
		},
	};
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
	const key = String(apiKey ?? '').trim();
	if (!key || verdict.status !== 'OK' || !isShortWord(key)) return verdict;
	return {
		...verdict,
		message: `${verdict.message}. It is a short word: if the service repeats it in an answer, it stays in the output`,
	};
}
