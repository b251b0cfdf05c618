import type {
	ICredentialDataDecryptedObject,
	IDisplayOptions,
	IHttpRequestOptions,
	INodeProperties,
} from 'n8n-workflow';

import { invalidInputError } from '../core/errors';
import { isBelow, normalizeApiKey, normalizeBaseUrl, TABLES_PATH } from '../core/urls';
import { type KeyPlaceOf, readHeaders } from './headers';

export const whenUsed: IDisplayOptions = { show: { useJobLedger: [true] } };

/** The job ledger, as an optional part of a credential: a Data Table of the n8n in which the workflows run. */
export const jobLedgerProperties: INodeProperties[] = [
	{
		displayName: 'Use a Job Ledger',
		name: 'useJobLedger',
		type: 'boolean',
		default: false,
		description:
			'Whether to keep paid jobs and chats in a Data Table of this n8n, so that they are found again after crashes and restarts. The Model Router keeps a job whose node has Track in Job Ledger or a Unique Key. With a key, it is started only once.',
	},
	{
		displayName: 'n8n URL',
		name: 'n8nUrl',
		type: 'string',
		displayOptions: whenUsed,
		default: 'http://127.0.0.1:5678',
		required: true,
		placeholder: 'e.g. https://my-name.app.n8n.cloud',
		hint: 'The address of this n8n, as its own processes see it',
		description:
			'On n8n Cloud: the address of your editor, such as https://my-name.app.n8n.cloud. In Docker: http:// with the name of the n8n service, such as http://n8n:5678. Everything on one machine: http://127.0.0.1:5678, with the port of your n8n. With several processes: the main process, at an address that every worker reaches. http:// is fine inside your own network.',
	},
	{
		displayName: 'n8n API Key',
		name: 'n8nApiKey',
		type: 'string',
		typeOptions: { password: true },
		displayOptions: whenUsed,
		default: '',
		required: true,
		hint: 'Create it in n8n under Settings > n8n API',
		description:
			'It needs the scopes dataTable:list, dataTable:create, dataTableColumn:create, dataTableRow:read, dataTableRow:create and dataTableRow:update. To delete entries it also needs dataTableRow:delete.',
	},
	{
		displayName: 'Job Ledger Table',
		name: 'ledgerTable',
		type: 'string',
		displayOptions: whenUsed,
		default: 'Media Jobs',
		required: true,
		description:
			'Name of the Data Table. It is created when it is first used. With the ID of an existing table, the key does not need the scope dataTable:list.',
	},
];

const SPENDING_TABLE = 'Agent Spending';

/** The record of spending, as an optional part of a credential with a job ledger. */
export const spendingProperties: INodeProperties[] = [
	{
		displayName: 'Record Spending',
		name: 'recordSpending',
		type: 'boolean',
		displayOptions: whenUsed,
		default: false,
		description:
			'Whether to record in a second Data Table what was spent with this credential, by day, workflow, node and model. Get of the resource Spending reads it.',
	},
	{
		displayName: 'Spending Table',
		name: 'spendingTable',
		type: 'string',
		displayOptions: { show: { useJobLedger: [true], recordSpending: [true] } },
		default: SPENDING_TABLE,
		required: true,
		description:
			'Name of the Data Table. It is created when it is first used. It does not contain the text of requests or answers.',
	},
];

/** @returns the name or ID of the table, trimmed; undefined where nothing is recorded. */
export const findSpendingTable = (data: ICredentialDataDecryptedObject): string | undefined =>
	usesLedger(data) && data['recordSpending'] === true
		? String(data['spendingTable'] ?? SPENDING_TABLE).trim()
		: undefined;

export const usesLedger = (data: ICredentialDataDecryptedObject): boolean =>
	data['useJobLedger'] === true;

/**
 * Reads the part of a credential that is for the job ledger.
 *
 * @returns how to reach the Data Table, and its name or ID.
 * @throws ServiceError `invalid` when a field is unusable.
 */
export function readLedgerPart(data: ICredentialDataDecryptedObject) {
	const table = String(data['ledgerTable'] ?? '').trim();
	if (!table)
		throw invalidInputError('The job ledger table is empty', 'Enter it in the credential.');
	return {
		baseUrl: normalizeBaseUrl(String(data['n8nUrl'] ?? ''), 'api/v1', 'anywhere', 'n8n URL'),
		apiKey: normalizeApiKey(data['n8nApiKey'], 'n8n API key'),
		table,
	};
}

/**
 * Which key is for which origin. An origin is a scheme, a host and a port.
 *
 * @throws ServiceError `invalid` when the service and n8n have the same origin: neither key may reach the other.
 */
export function findKeyOrigins(data: ICredentialDataDecryptedObject) {
	const service = findOrigin(data['baseUrl']);
	const n8n = usesLedger(data) ? findOrigin(data['n8nUrl']) : undefined;
	if (n8n !== undefined && n8n === service) {
		throw invalidInputError(
			'Base URL and n8n URL of the credential lead to the same server',
			'Each API key is only sent to its own server. Enter the address of the service in Base URL, and the address of this n8n in n8n URL.',
		);
	}
	return { service, n8n };
}

/** Whether an address is one of the Data Tables' in the n8n of the ledger. */
const isTablesAddress = ({ n8nUrl }: ICredentialDataDecryptedObject, { href }: URL): boolean =>
	isBelow(href, normalizeBaseUrl(String(n8nUrl ?? ''), 'api/v1', 'anywhere') + TABLES_PATH);

function findOrigin(url: unknown): string | undefined {
	try {
		return new URL(normalizeBaseUrl(String(url ?? ''), undefined, 'anywhere')).origin;
	} catch {
		return undefined;
	}
}

/**
 * Makes a credential's `authenticate`, which puts a key into one header. The target of the request chooses the key: the service's
 * key and the additional headers only go to the origin of the base URL, n8n's own key only to the Data Tables below the n8n URL, and any
 * other address gets none.
 *
 * A function takes half the time of n8n's declarative form, which evaluates an expression per request. It returns a copy, so the
 * key never gets into the caller's options.
 *
 * @param keyPlace Where the key of the service goes.
 */
export function createHeaderAuth(keyPlace: KeyPlaceOf) {
	return async (
		credentials: ICredentialDataDecryptedObject,
		options: IHttpRequestOptions,
	): Promise<IHttpRequestOptions> => {
		const { service, n8n } = findKeyOrigins(credentials);
		const targets = findTargets(options);
		const isCertainly = (check: (target: URL) => boolean) =>
			targets.length > 0 && targets.every(check);
		if (isCertainly(({ origin }) => origin === service)) {
			const { ofKey, additional } = readHeaders(credentials, keyPlace, targets[0]?.pathname);
			return withHeaders(options, { ...additional, ...ofKey });
		}
		if (isCertainly((target) => target.origin === n8n && isTablesAddress(credentials, target)))
			return withHeaders(options, { [N8N_HEADER]: normalizeApiKey(credentials['n8nApiKey']) });
		return { ...options };
	};
}

/** The header of n8n's public API. */
export const N8N_HEADER = 'X-N8N-API-KEY';

/** n8n's HTTP Request node follows redirects, and would send the headers along, wherever they lead. */
const NO_REDIRECTS = {
	disableFollowRedirect: true,
	followRedirect: false,
	followAllRedirects: false,
};

function withHeaders(
	options: IHttpRequestOptions,
	headers: Record<string, string>,
): IHttpRequestOptions {
	const names = new Set(Object.keys(headers).map((name) => name.toLowerCase()));
	const others = Object.entries(options.headers ?? {}).filter(
		([given]) => !names.has(given.toLowerCase()),
	);
	return { ...options, ...NO_REDIRECTS, headers: { ...Object.fromEntries(others), ...headers } };
}

/**
 * The address that a request goes to, in both ways to read it; none if it is unusable. axios appends an address without a scheme and a
 * host to `baseURL`, while n8n's own checks resolve it against `baseURL` (axios 1.18.0, lib/core/buildFullPath.js; @n8n/backend-network
 * 2.41, http/axios/utils.js:276). n8n's older requests name the address `uri`.
 */
function findTargets(options: IHttpRequestOptions): URL[] {
	const { url, baseURL, uri } = options as IHttpRequestOptions & { uri?: unknown };
	const address = String(url || uri || '');
	const isAbsolute = /^([a-z][a-z\d+\-.]*:)?\/\//i.test(address);
	const appended = baseURL && !isAbsolute ? `${baseURL}/${address}` : address;
	if (!URL.canParse(appended) || !URL.canParse(address, baseURL)) return [];
	return [new URL(appended), new URL(address, baseURL)];
}
