import { type ICredentialDataDecryptedObject, isToolType } from 'n8n-workflow';

import { invalidInputError, messageOf } from '../core/errors';
import type { SlotBook } from '../core/rateLimit';
import type { ModelList } from '../core/modelLists';
import { readOwnPrices } from '../core/ownPrices';
import type { Clock } from '../core/retry';
import { type Accounts, type CostSum, createAccounts } from '../core/accounts';
import { type BaseUrlForm, readBaseUrl } from '../core/urls';
import { findHeaderSecrets, type KeyPlaceOf, readHeaders, trimKey } from './headers';
import { createExecutionCosts } from './memory/executionMemory';
import type { HttpContext } from './http';
import { findKeyOrigins, readLedgerPart, usesLedger } from './credential';
import { addHint } from './hints';
import type { Redactor } from './redact';
import type { RequestSettings } from './requestSettings';
import { type ClientOptions, createClient, createClock, identifyAccount } from './serviceClient';

type Data = ICredentialDataDecryptedObject;

/** A credential, read for an item or without one, and the HTTP client of its service. */
export type Connection = ReturnType<typeof openConnection>;

/** The n8n that has the job ledger. */
type LedgerConnection = ReturnType<typeof createLedgerConnection>;

/** How a node uses its credential. */
export interface ServiceAccess extends BaseUrlForm {
	/** Name of the credential type, e.g. `modelRouterApi`. */
	credential: string;
	/** Title of the credential type in n8n, e.g. `Model Router API`. */
	credentialName: string;
	/** Where its key goes. */
	keyPlace: KeyPlaceOf;
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
	 * @param limit Identifies the limit: the account, as a hash, and the credential.
	 */
	openSlotBook?(
		connectLedger: () => LedgerConnection,
		limit: { account: string; credentialId: string },
	): SlotBook;
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
 * Opens what belongs to the owner of the credential, for all accounts: its ledger, its budget and its record.
 *
 * @param data How the credential reads for the owner's part: it is the same for all items.
 * @throws ServiceError `invalid` for an unusable field of the budget.
 */
export function openOwner(
	n8n: HttpContext,
	access: ServiceAccess,
	redact: Redactor,
	settings: RequestSettings,
	data: Data,
) {
	const { credential } = access;
	redact.addKey(trimKey(data['n8nApiKey']));
	const stop = 'getExecutionCancelSignal' in n8n ? n8n.getExecutionCancelSignal() : undefined;
	const { id, name } = n8n.getNode().credentials?.[credential] ?? {};
	const credentialId = id ?? '';
	/** As n8n and its users know it. */
	const credentialName = name ? `"${name}"` : access.credentialName;
	let ledger: LedgerConnection | undefined;
	/**
	 * Connects to the n8n that has the job ledger, with the same credential. Its requests continue after Stop.
	 *
	 * @throws ServiceError `invalid` when the job ledger is turned off, or a field for it is unusable.
	 */
	const connectLedger = () => {
		if (!usesLedger(data)) throw ledgerOffError(credentialName);
		const open = { credential, data, settings, redact };
		return (ledger ??= createLedgerConnection(n8n, { ...access, credentialName }, open));
	};
	const user = () => describeUser(n8n, redact);
	const sum = 'getContext' in n8n ? createExecutionCosts(n8n, credentialId) : undefined;
	const clocks = { clock: createClock(stop), uncancellableClock: createClock(undefined) };
	const host = { data, credentialId, connectLedger, ...clocks, user, sum };
	return {
		n8n,
		access,
		redact,
		settings,
		stop,
		credentialId,
		connectLedger,
		accounts: access.openAccounts?.(host) ?? createAccounts(sum),
	};
}

/**
 * Connects to an account of the service.
 *
 * @param isOfItem Whether the account comes from an item.
 * @param isTyped Whether the base URL certainly is what was entered, and no expression.
 * @throws ServiceError `invalid` for an unusable base URL or key.
 */
export function openConnection(
	{ n8n, access, redact, settings, stop, ...owner }: ReturnType<typeof openOwner>,
	data: Data,
	{ isOfItem, isTyped }: { isOfItem: boolean; isTyped: boolean },
) {
	const { credentialId, connectLedger, accounts } = owner;
	redact.addKey(trimKey(data['apiKey']), ...findHeaderSecrets(data));
	const baseUrl = readBaseUrl(data['baseUrl'], access, isTyped ? 'ownNetwork' : 'thisMachine');
	const { apiKey, additional } = readHeaders(data, access.keyPlace);
	findKeyOrigins(data);
	const account = identifyAccount(baseUrl, apiKey, additional);
	/** Whether processes share the service's rate limit through the job ledger. */
	const isShared = usesLedger(data) && data['shareLimit'] === true;
	const shared = { account, credentialId };
	const limit = {
		perMinute: access.requestsPerMinute?.(data),
		book: isShared ? access.openSlotBook?.(connectLedger, shared) : undefined,
		onUnavailable: (cause: unknown) =>
			n8n.logger.warn('The rate limit is not shared: this process limits its own rate for now', {
				reason: redact.text(messageOf(cause)),
			}),
	};
	const { budget } = accounts;
	const fields = { ...data, baseUrl, apiKey };
	const transport = { credential: access.credential, data: fields, settings, redact };
	return {
		...createClient(n8n, { ...transport, baseUrl, account, stop, limit, budget }),
		/** Milliseconds without a byte after which an attempt fails. */
		idleTimeout: settings.idleTimeout * 1000,
		baseUrl,
		/** What the IDs of named sessions are made for: one session per name and base URL, and per account if that comes from an item. */
		sessionSpace: isOfItem ? `${baseUrl} ${account}` : baseUrl,
		/** n8n's ID of the credential, which distinguishes credentials of one type. */
		credentialId,
		/** Whether the account comes from an item: nobody can find it again without the item. */
		isOfItem,
		/** Whose work it is: the credential's, so that its owner may replace the key, or an account's that comes from an item. */
		scope: isOfItem ? `${credentialId} ${account}` : credentialId,
		/** The same, whatever its headers say: one may have the time in it, and be another one when n8n runs the node again. */
		sender: isOfItem ? `${credentialId} ${identifyAccount(baseUrl, apiKey)}` : credentialId,
		redact,
		/** Whether the credential has a job ledger. */
		usesLedger: usesLedger(data),
		connectLedger,
		readModelLists: (name?: string) => access.readModelLists?.(data, name) ?? [],
		/** Prices of models that the owner of the credential has entered. */
		ownPrices: readOwnPrices(data['ownPrices'], new URL(baseUrl).hostname),
		/** The kind of server that was chosen in the credential, where it has the choice. */
		server: data['server'],
		/** What the credential may spend, and has spent. */
		accounts: isOfItem ? accountsOf(accounts, account) : accounts,
	};
}

/** The same purse, for the jobs of one account: those of two accounts may have the same ID. */
const accountsOf = (accounts: Accounts, account: string): Accounts => ({
	...accounts,
	openStart(start) {
		const { setJob, ...opened } = accounts.openStart(start);
		return { ...opened, setJob: (mediaType, jobId) => setJob(mediaType, `${jobId} ${account}`) };
	},
	endJob: (mediaType, jobId, cost) => accounts.endJob(mediaType, `${jobId} ${account}`, cost),
});

/** The workflow and the node that spend. */
function describeUser(n8n: HttpContext, redact: Redactor) {
	const { id: workflowId = '', name: workflow = '' } = n8n.getWorkflow();
	const { id: nodeId, name: node, type } = n8n.getNode();
	return {
		workflowId,
		workflow,
		nodeId,
		node,
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
	const { table, baseUrl, apiKey } = readLedgerPart(open.data);
	const { idleTimeout, totalTimeout } = open.settings;
	const settings = {
		...open.settings,
		idleTimeout: Math.min(idleTimeout, timeout),
		totalTimeout: Math.min(totalTimeout, timeout),
	};
	const { http, httpWithoutRetries, clock } = createClient(n8n, {
		...open,
		baseUrl,
		account: identifyAccount(baseUrl, apiKey),
		settings,
	});
	return {
		http,
		httpWithoutRetries,
		clock,
		redact: open.redact,
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
