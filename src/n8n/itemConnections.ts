import type { ICredentialDataDecryptedObject as Data } from 'n8n-workflow';

import type { Accounts } from '../core/accounts';
import { type Connection, openConnection, openOwner, type ServiceAccess } from './connection';
import {
	type CredentialRead,
	isAccountOfItem,
	isTypedAddress,
	readForItems,
	requireOneOwner,
} from './credentialReads';
import type { HttpContext } from './http';
import type { Redactor } from './redact';
import type { RequestSettings } from './requestSettings';

/** The connections of the items of one run: those whose credential reads equal share one. */
export interface ItemConnections {
	/** @throws the reason why the item has none, such as a ServiceError `invalid` for an unusable key. */
	of(itemIndex: number): Connection;
	/** What the credential may spend, and has spent: the purse of its owner, also where the items belong to others. */
	accounts: Accounts;
}

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
): Promise<ItemConnections> {
	const reads = await readForItems(n8n, access.credential, first, count);
	requireOneOwner(reads);
	const { items, withoutItem, entered } = reads;
	const [data] = items.flatMap((read) => ('data' in read ? [read.data] : []));
	if (!data) throw items.flatMap((read) => ('cause' in read ? [read.cause] : []))[0];
	const owner = openOwner(n8n, access, redact, settings, data);
	const open = (read: Data) =>
		openConnection(owner, read, {
			isOfItem: isAccountOfItem(read, withoutItem),
			isTyped: isTypedAddress(read, entered),
		});
	const opened = new Map<CredentialRead, OpenedConnection>();
	const openOnce = (read: CredentialRead) => {
		if ('cause' in read) return read;
		const known = opened.get(read) ?? tryToOpen(() => open(read.data));
		opened.set(read, known);
		return known;
	};
	const all = items.map(openOnce);
	return {
		accounts: owner.accounts,
		of(itemIndex) {
			const found = all[itemIndex - first];
			if (found && 'connection' in found) return found.connection;
			throw found?.cause;
		},
	};
}

type OpenedConnection = { connection: Connection } | { cause: unknown };

function tryToOpen(open: () => Connection): OpenedConnection {
	try {
		return { connection: open() };
	} catch (cause) {
		return { cause };
	}
}
