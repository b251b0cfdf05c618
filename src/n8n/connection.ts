import { hash } from 'crypto';
import { type ICredentialDataDecryptedObject, isToolType } from 'n8n-workflow';

import { cancelledError, invalidInputError, messageOf } from '../core/errors';
import { RateLimiter, type SlotBook, type Turn } from '../core/rateLimit';
import type { ModelList } from '../core/modelList';
import { withRetries } from '../core/resend';
import type { Clock } from '../core/retry';
import { type Accounts, type CostSum, createAccounts } from '../core/accounts';
import { normalizeApiKey, readBaseUrl } from '../core/urls';
import { findHeaderSecrets, readAdditionalHeaders } from './additionalHeaders';
import { createExecutionCosts } from './executionCosts';
import { createN8nHttp, type HttpContext, type TransportOptions } from './http';
import {
	findKeyOrigins,
	findLedgerKey,
	readLedgerPart,
	sharesLimit,
	usesLedger,
} from './credential';
import { checkAllowedDomains } from './n8nVersions';
import { addHint } from './hints';
import { abortableSleep } from './deadline';
import type { Redactor } from './redact';
import { defaultRequestSettings, type RequestSettings } from './requestSettings';
import { rateLimiterOf, serviceFactsOf } from './sharedCache';

/** A credential, read once, and the HTTP client of its service. */
export type Connection = Awaited<ReturnType<typeof connect>>;

/** The n8n that has the job ledger. */
type LedgerConnection = ReturnType<typeof createLedgerConnection>;

/** How a node uses its credential. */
export interface ServiceAccess {
	/** Name of the credential type, e.g. `modelRouterApi`. */
	credential: string;
	/** Title of the credential type in n8n, e.g. `Model Router API`. */
	credentialName: string;
	/** The header of its key. */
	keyHeader: string;
	/** A version at the end of the base URL, which may be present, missing or doubled. Paths then begin with it. */
	version?: string;
	/** Matches the end of a base URL that has one of the paths that the node adds itself. */
	endpoints: RegExp;
	/**
	 * Requests per minute that the service accepts, if it has such a limit. Requests then wait for their turn.
	 *
	 * @throws ServiceError `invalid`.
	 */
	requestsPerMinute?(credential: ICredentialDataDecryptedObject): number;
	/** Seconds that one request to the job ledger may take at most, for a node that also works without it. */
	ledgerTimeout?: number;
	/**
	 * Opens the book in which processes reserve the times of their requests.
	 *
	 * @param connectLedger Throws as `Connection.connectLedger` does.
	 * @param credentialId Identifies the limit.
	 */
	openSlotBook?(connectLedger: () => LedgerConnection, credentialId: string): SlotBook;
	/** Opens the budget and the record of the credential, if it has them. @throws ServiceError `invalid` for an unusable field. */
	openAccounts?(host: CredentialHost): Accounts;
	/** The model lists of the credential, or the one of this name. @throws ServiceError `invalid`. */
	readModelLists?(credential: ICredentialDataDecryptedObject, name?: string): ModelList[];
}

/** What the budget and the record of a credential need. */
export interface CredentialHost {
	data: ICredentialDataDecryptedObject;
	/** n8n's ID of the credential. */
	credentialId: string;
	/** Throws as `Connection.connectLedger` does. */
	connectLedger: () => LedgerConnection;
	/** Its sleep ends with the execution. */
	clock: Clock;
	/** Its sleep does not. */
	uncancellableClock: Clock;
	user(): ReturnType<typeof describeUser>;
	/** What the execution pays. A poll has none. */
	sum: CostSum | undefined;
}

/**
 * Reads the credential once and makes an HTTP client for its service. n8n sends the requests: it adds the header, and uses the
 * instance's proxy settings.
 *
 * Base URLs and keys come from the same read. Fields of a credential may contain expressions, and n8n's helper would evaluate them
 * again for every request (n8n-core 2.41.1, request-helpers/authentication.js:37).
 *
 * @param redact The keys are added to it.
 * @throws ServiceError `invalid` for an unusable base URL or key.
 */
export async function connect(
	n8n: HttpContext,
	access: ServiceAccess,
	redact: Redactor,
	settings: RequestSettings = defaultRequestSettings,
) {
	const { credential } = access;
	const data = await n8n.getCredentials<ICredentialDataDecryptedObject>(credential);
	redact.addKey(findLedgerKey(data), ...findHeaderSecrets(data));
	const baseUrl = readBaseUrl(data['baseUrl'], access);
	const apiKey = normalizeApiKey(data['apiKey']);
	redact.addKey(apiKey);
	findKeyOrigins(data);
	const headers = readAdditionalHeaders(data, access.keyHeader);
	const open = { credential, data: { ...data, baseUrl, apiKey }, settings, redact };
	const stop = 'getExecutionCancelSignal' in n8n ? n8n.getExecutionCancelSignal() : undefined;
	const { credentialId, credentialName } = nameCredential(n8n, access);
	let ledger: LedgerConnection | undefined;
	/**
	 * Connects to the n8n that has the job ledger, with the same credential. Its requests continue after Stop.
	 *
	 * @throws ServiceError `invalid` when the job ledger is turned off, or a field for it is unusable.
	 */
	const connectLedger = () => {
		if (!usesLedger(data)) throw ledgerOffError(credentialName);
		return (ledger ??= createLedgerConnection(n8n, { ...access, credentialName }, open));
	};
	const limit = {
		perMinute: access.requestsPerMinute?.(data),
		book: sharesLimit(data)
			? access.openSlotBook?.(connectLedger, credentialId || identifyAccount(baseUrl, apiKey))
			: undefined,
		onUnavailable: (cause: unknown) =>
			n8n.logger.warn('The rate limit is not shared: this process limits its own rate for now', {
				reason: redact.text(messageOf(cause)),
			}),
	};
	const user = () => describeUser(n8n, redact);
	const sum = 'getContext' in n8n ? createExecutionCosts(n8n, credentialId) : undefined;
	const clocks = { clock: createClock(stop), uncancellableClock: createClock(undefined) };
	const host = { data, credentialId, connectLedger, ...clocks, user, sum };
	const accounts = access.openAccounts?.(host) ?? createAccounts(sum);
	const { budget } = accounts;
	return {
		...createClient(n8n, { ...open, baseUrl, apiKey, headers, stop, limit, budget }),
		/** Milliseconds without a byte after which an attempt fails. */
		idleTimeout: settings.idleTimeout * 1000,
		baseUrl,
		/** n8n's ID of the credential, which distinguishes credentials of one type. */
		credentialId,
		redact,
		/** Whether the credential has a job ledger. */
		usesLedger: usesLedger(data),
		connectLedger,
		readModelLists: (name?: string) => access.readModelLists?.(data, name) ?? [],
		/** What the credential may spend, and has spent. */
		accounts,
	};
}

/** The credential of a node, as n8n and its users know it. */
function nameCredential(n8n: HttpContext, { credential, credentialName }: ServiceAccess) {
	const { id, name } = n8n.getNode().credentials?.[credential] ?? {};
	return { credentialId: id ?? '', credentialName: name ? `"${name}"` : credentialName };
}

/** The workflow and the node that spend. */
function describeUser(n8n: HttpContext, redact: Redactor) {
	const { id: workflowId = '', name: workflow = '' } = n8n.getWorkflow();
	const { id: nodeId, name: node, type } = n8n.getNode();
	return {
		...{ workflowId, workflow, nodeId, node },
		executionId: n8n.getExecutionId(),
		asTool: isToolType(type),
		addHint(sentence: string): void {
			if ('addExecutionHints' in n8n) addHint(n8n, redact.text(sentence));
		},
		/** For what comes too late for a hint. */
		logError: (sentence: string, fields: Record<string, unknown>): void =>
			n8n.logger.error(sentence, redact.texts(fields)),
	};
}

/** @throws ServiceError `invalid` when a field for the ledger is unusable. */
function createLedgerConnection(
	n8n: HttpContext,
	{ credentialName, ledgerTimeout: timeout = Infinity }: ServiceAccess,
	open: Pick<ClientOptions, 'credential' | 'data' | 'settings' | 'redact'>,
) {
	const { table, ...target } = readLedgerPart(open.data);
	const { idleTimeout, totalTimeout } = open.settings;
	const settings = {
		...open.settings,
		idleTimeout: Math.min(idleTimeout, timeout),
		totalTimeout: Math.min(totalTimeout, timeout),
	};
	const { http, httpWithoutRetries, clock } = createClient(n8n, { ...open, ...target, settings });
	return {
		...{ http, httpWithoutRetries, clock, redact: open.redact },
		/** The name or ID of the Data Table. */
		table,
		/** What the credential is called in messages. */
		credentialName,
	};
}

const ledgerOffError = (credentialName: string) =>
	invalidInputError(
		'The job ledger is turned off',
		`Turn on "Use a Job Ledger" in the ${credentialName} credential.`,
	);

interface ClientOptions extends Omit<TransportOptions, 'clock'> {
	redact: Redactor;
	apiKey: string;
	/** A gateway may choose the service by them. */
	headers?: Record<string, string>;
	/** The limit of the service. All connections of an account in this process share its limiter. */
	limit?: Pick<Turn, 'perMinute' | 'book' | 'onUnavailable'>;
}

const identifyAccount = (baseUrl: string, apiKey: string, headers = {}) =>
	hash('sha256', [baseUrl, apiKey, ...Object.entries(headers).flat()].join('\n'), 'base64');

/**
 * Makes the HTTP client for an account of a service.
 *
 * @throws when the credential does not permit the address.
 */
function createClient(n8n: HttpContext, { apiKey, headers, limit, ...options }: ClientOptions) {
	const { data, settings, baseUrl, stop } = options;
	checkAllowedDomains(data, baseUrl, n8n.getNode());
	const clock = createClock(stop);
	const account = identifyAccount(baseUrl, apiKey, headers);
	const serviceFacts = serviceFactsOf(account);
	const httpWithoutRetries = { ...createN8nHttp(n8n, { ...options, clock }), serviceFacts };
	const maxRateLimitWait = settings.maxRateLimitWait * 1000;
	const limiter =
		limit?.perMinute === undefined
			? new RateLimiter()
			: rateLimiterOf(identifyAccount(baseUrl, apiKey));
	const turn = { ...limit, clock, maxRateLimitWait };
	return {
		http: { ...withRetries(httpWithoutRetries, limiter, turn), serviceFacts },
		/** The same without retries, for requests that are not worth a wait. */
		httpWithoutRetries,
		clock,
		/** Identifies the account within this process. A hash: it does not reveal the key. */
		account,
	};
}

/** The real clock. Its `sleep` ends with `cancelled` when the execution is stopped. */
function createClock(stop: AbortSignal | undefined): Clock {
	return {
		now: () => Date.now(),
		sleep: async (milliseconds) =>
			await abortableSleep(milliseconds, stop).catch(() => {
				throw cancelledError(false);
			}),
		random: () => Math.random(),
	};
}
