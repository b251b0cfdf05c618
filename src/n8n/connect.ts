import { ExpressionError, type ICredentialDataDecryptedObject, isToolType } from 'n8n-workflow';

import { invalidInputError, mapServiceError } from '../core/errors';
import { budgetProperties } from './budgetFields';
import { type Connection, openConnection, openOwner, type ServiceAccess } from './connection';
import { jobLedgerProperties, spendingProperties } from './credential';
import { additionalHeaderProperties, apiKeyField, baseUrlField } from './headers';
import type { HttpContext } from './http';
import { countVisibleItems, readAsEntered, withEmptyItems, withoutItems } from './platform';
import type { Redactor } from './redact';
import { defaultRequestSettings, type RequestSettings } from './requestSettings';

type Data = ICredentialDataDecryptedObject;

/** A credential as it reads for one item, or why it cannot be read for it. */
type CredentialRead = { data: Data } | { cause: unknown };

/** How a credential reads for each item, and without an item. */
interface CredentialReads {
	/** By the index of the item. Readings of the same data are one object. */
	items: CredentialRead[];
	/** What the trigger and the editor read. Undefined where a field of it cannot do without an item. */
	withoutItem: Data | undefined;
	/** As it was entered, where n8n tells. */
	entered: Data | undefined;
}

/** Readings at once: n8n asks its database for each. */
const BATCH = 50;

/** The connections of the items of one run: those whose credential reads equal share one. */
export type ItemConnections = Awaited<ReturnType<typeof connectItems>>;

/**
 * Connects every item with the credential as it reads for it, before anything is sent.
 *
 * @param first Index of the first item. A chat model gets one item of its agent.
 * @param redact The keys are added to it.
 * @throws ServiceError `invalid` where what belongs to the owner of the credential comes from an item, and what keeps every item from
 *   being connected.
 */
export async function connectItems(
	n8n: HttpContext,
	access: ServiceAccess,
	redact: Redactor,
	settings: RequestSettings,
	{ first = 0, count }: { first?: number; count: number },
) {
	const reads = await readForItems(n8n, access.credential, first, count);
	requireOneOwner(reads);
	const { items, withoutItem, entered } = reads;
	const readable = items.find((read) => 'data' in read) ?? items[0];
	if (!readable || 'cause' in readable) throw readable?.cause;
	const owner = openOwner(n8n, access, redact, settings, readable.data);
	const open = (read: CredentialRead): { connection: Connection } | { cause: unknown } => {
		if ('cause' in read) return read;
		// so that nobody else can read it: neither the trigger nor the editor
		const isOfItem = !withoutItem || !isSame(ACCOUNT_FIELDS, read.data, withoutItem);
		const isTyped = isTypedAddress(read.data, entered);
		try {
			return { connection: openConnection(owner, read.data, { isOfItem, isTyped }) };
		} catch (cause) {
			return { cause };
		}
	};
	const opened = new Map(Array.from(new Set(items), (read) => [read, open(read)]));
	return {
		/** What the credential may spend, and has spent: the purse of its owner, also where the items belong to others. */
		accounts: owner.accounts,
		/** @throws the reason why the item has none, such as a ServiceError `invalid` for an unusable key. */
		of(itemIndex: number): Connection {
			const found = opened.get(items[itemIndex - first]!);
			if (found && 'connection' in found) return found.connection;
			throw found?.cause;
		},
	};
}

/**
 * Connects with the credential as it reads without an item: for the trigger, and for lists in the editor. n8n sends the requests: it adds
 * the header, and uses the instance's proxy settings.
 *
 * Base URLs and keys come from the same read. Fields of a credential may contain expressions, and n8n's helper would evaluate them
 * again for every request (n8n-core 2.41.1, request-helpers/authentication.js:37).
 *
 * @param redact The keys are added to it.
 * @throws ServiceError `invalid` for an unusable base URL or key, and where the credential needs an item.
 */
export async function connect(
	n8n: HttpContext,
	access: ServiceAccess,
	redact: Redactor,
	settings: RequestSettings = defaultRequestSettings,
): Promise<Connection> {
	const { credential } = access;
	const reading = readAsEntered(n8n, credential);
	const data = await findWithoutItem(n8n, credential);
	if (!data) throw needsItemError();
	requireNoItem(data);
	const owner = openOwner(n8n, access, redact, settings, data);
	const isTyped = isTypedAddress(data, await reading);
	return openConnection(owner, data, { isOfItem: false, isTyped });
}

/**
 * Reads the credential for items: n8n does not say to a node whether its fields have expressions. After the first batch, nothing more is
 * read if it certainly has none.
 *
 * A node below an AI agent gets the first item alone, while expressions find all items of the agent. So it has to read equally for all.
 *
 * @param first Index of the first item.
 * @param count Items that the node gets.
 * @throws ServiceError `invalid` where it reads differently for an item that the node does not get.
 */
async function readForItems(
	n8n: HttpContext,
	type: string,
	first: number,
	count: number,
): Promise<CredentialReads> {
	// an agent that asks for each of its items asks for the others by itself, and with Execute Once there are no others
	const isAlone = first > 0 || n8n.getNode().executeOnce === true;
	const end = Math.max(first + count, isAlone ? 0 : countVisibleItems(n8n));
	const items: CredentialRead[] = [];
	const distinct = new Map<string, CredentialRead>();
	const reading = readAsEntered(n8n, type);
	for (let start = first; start < end; start += BATCH) {
		const length = Math.min(BATCH, end - start);
		const batch = Array.from({ length }, async (_, item) => await readOne(n8n, type, start + item));
		for (const read of await Promise.all(batch)) items.push(shareEqual(distinct, read));
		const entered = await reading;
		const fixed = start === first ? findFixed(entered, items) : undefined;
		if (fixed) {
			const all = Array<CredentialRead>(count).fill(fixed);
			return { items: all, withoutItem: fixed.data, entered };
		}
	}
	if (items.length > count) requireEqual(items);
	if (isToolType(n8n.getNode().type)) await requireFreeOfModel(n8n, type, items[0]);
	return { items, withoutItem: await findWithoutItem(n8n, type), entered: await reading };
}

/**
 * n8n puts what the model of an AI agent has written on top of the fields of the tool's item (n8n-core 2.41.1, requests-response.js:58).
 *
 * @throws ServiceError `invalid` where the model could choose the account.
 */
async function requireFreeOfModel(
	n8n: HttpContext,
	type: string,
	read: CredentialRead | undefined,
) {
	const free = await readOne(withEmptyItems(n8n), type, 0);
	if (read && textOf(read) === textOf(free)) return;
	throw invalidInputError(
		'The credential has an expression that the model of an AI agent could fill',
		"Nothing was sent. Do not call this tool again: tell the user that a credential may not read $json in a tool. It may read nodes that run before the AI agent, such as {{ $('Webhook').first().json.key }}.",
	);
}

/**
 * How the credential reads everywhere, if no field has an expression: then it is neither read for further items, nor without one. For that,
 * n8n would start a new JavaScript engine (70 ms: n8n 2.41.1, credentials-helper.js, acquireIsolate).
 *
 * A batch is read anyway, and what was entered has to be what was read. So nothing relies on n8n's raw form alone.
 */
function findFixed(
	entered: Data | undefined,
	items: readonly CredentialRead[],
): { data: Data } | undefined {
	const [read] = items;
	if (!read || !('data' in read) || new Set(items).size > 1) return undefined;
	if (!entered || JSON.stringify(entered).includes('"=')) return undefined;
	const isEntered = serviceFields(read.data).every(({ name }) => entered[name] === read.data[name]);
	return isEntered ? read : undefined;
}

/** The reading of the same data that came before, if there is one. */
function shareEqual(distinct: Map<string, CredentialRead>, read: CredentialRead): CredentialRead {
	if ('cause' in read) return read;
	const text = textOf(read);
	const known = distinct.get(text) ?? read;
	distinct.set(text, known);
	return known;
}

const textOf = (read: CredentialRead) => ('data' in read ? JSON.stringify(read.data) : '');

async function readOne(n8n: HttpContext, type: string, index: number): Promise<CredentialRead> {
	try {
		return { data: await n8n.getCredentials<Data>(type, index) };
	} catch (cause) {
		return { cause };
	}
}

/** @throws ServiceError `invalid` where the readings are not the same. */
function requireEqual(items: readonly CredentialRead[]): void {
	const texts = new Set([...new Set(items)].map(textOf));
	if (texts.size === 1) return;
	throw invalidInputError(
		'The credential reads differently for another item of the AI agent',
		'Nothing was sent. n8n gives a node below an agent or a chain only the first item. Put Loop Over Items (batch size 1) before the agent.',
	);
}

/** @returns undefined where an expression of a field cannot do without an item. */
async function findWithoutItem(n8n: HttpContext, type: string): Promise<Data | undefined> {
	try {
		return await withoutItems(n8n).getCredentials<Data>(type);
	} catch (cause) {
		if (cause instanceof ExpressionError) return undefined;
		throw mapServiceError(cause);
	}
}

/** Whether the base URL certainly is what was entered. An expression may take it from strangers, or from a model. */
const isTypedAddress = ({ baseUrl }: Data, entered: Data | undefined): boolean =>
	entered !== undefined && entered['baseUrl'] === baseUrl;

/**
 * For a credential that was read without an item. n8n then leaves out each field of the account whose expression cannot do without one,
 * and fills in all others (n8n 2.41.1, credentials-helper.js, resolveCredentialExpressionsByProperty).
 *
 * @throws ServiceError `invalid`.
 */
export function requireNoItem(data: Data): void {
	const isMissing = ({ name }: { name: string }) => data[name] === undefined;
	// what n8n has not filled in may have no header at all
	const headers = HEADER_FIELDS.every(isMissing) ? [] : HEADER_FIELDS;
	const missing = [...serviceFields(data), ...headers].filter(isMissing);
	if (missing.length) throw needsItemError(missing.map(({ title }) => title).join(', '));
}

const needsItemError = (fields = 'a field') =>
	invalidInputError(
		`The credential has an expression that needs an item, in ${fields}`,
		'Here is no item to read it with: the trigger, the lists of the editor and the credential test have none. Nodes that run read it for each of their items. In Model, choose By ID.',
	);

const titled = ({ name, displayName: title }: { name: string; displayName: string }) => ({
	name,
	title,
});

const SERVICE_FIELDS = [baseUrlField, apiKeyField].map(titled);

/** n8n drops the value of a field that is hidden: the key, where the service takes none. */
const serviceFields = ({ keyIn }: Data) =>
	SERVICE_FIELDS.filter(({ name }) => name !== 'apiKey' || keyIn !== 'none');

const HEADER_FIELDS = additionalHeaderProperties
	.filter(({ type }) => type === 'string')
	.map(titled);

/** What makes an account of a service. */
const ACCOUNT_FIELDS = [...SERVICE_FIELDS, { name: 'keyIn' }, ...HEADER_FIELDS];

/** What belongs to the owner of the credential, for all accounts: one ledger, one budget, one record. */
const OWNER_FIELDS = [
	...jobLedgerProperties.map(titled),
	{ name: 'shareLimit', title: 'Share the Limit Through the Job Ledger' },
	...budgetProperties.filter(({ type }) => type !== 'notice').map(titled),
	...spendingProperties.map(titled),
	// caps and budgets count by them
	{ name: 'ownPrices', title: 'Prices' },
];

const isSame = (fields: ReadonlyArray<{ name: string }>, one: Data, other: Data) =>
	one === other ||
	fields.every(({ name }) => JSON.stringify(one[name]) === JSON.stringify(other[name]));

/** @throws ServiceError `invalid` where what belongs to the owner of the credential comes from an item. */
function requireOneOwner({ items, withoutItem, entered = {} }: CredentialReads): void {
	const all = [...new Set(items)].flatMap((read) => ('data' in read ? [read.data] : []));
	const expected = withoutItem ?? all[0];
	// most credentials have no expression, and are read once
	if (!expected || all.every((data) => data === withoutItem)) return;
	// what cannot be read without an item comes from one, also where there is only one
	const isOfItem = ({ name }: { name: string }) =>
		!withoutItem && String(entered[name]).startsWith('=');
	const field = OWNER_FIELDS.find(
		(one) => isOfItem(one) || all.some((data) => !isSame([one], data, expected)),
	);
	if (!field) return;
	throw invalidInputError(
		`"${field.title}" of the credential comes from an item`,
		'Nothing was sent. The job ledger, the budget, the record of spending and the prices are those of the owner of the credential, not those of an item. Enter a fixed value there.',
	);
}
