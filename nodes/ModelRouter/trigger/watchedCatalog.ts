import type { IDataObject } from 'n8n-workflow';

import type { Connection } from '../../../src/n8n/connection';
import { claimChanges } from '../../../src/ledger/baseline';
import type { Ledger } from '../../../src/ledger/ledger';
import {
	catalogChanges,
	snapshotOf,
	suspicionOf,
	type CatalogChange,
} from '../../../src/router/catalogChanges';
import { listModels, type Model } from '../../../src/router/models';
import type { TriggerSettings } from './trigger.params';

/**
 * Finds and claims what has changed in the catalog.
 *
 * @param owner Tells one trigger from another: each tells every change.
 */
export async function watchedCatalog(
	ledger: Ledger,
	{ httpOnce, credentialId }: Connection,
	{ wants, lease }: TriggerSettings,
	owner: string,
	claim: string,
): Promise<IDataObject[]> {
	let entries: Model[] = [];
	const changes = await claimChanges(
		ledger,
		{
			startKey: `catalog ${owner}`,
			account: credentialId,
			lease,
			async read() {
				entries = (await listModels(httpOnce)).models;
				return snapshotOf(entries);
			},
			compare(before, after) {
				const all = catalogChanges(before, after);
				return {
					changes: all.filter(({ event }) => wants(event)),
					differs: all.length > 0,
					suspicion: suspicionOf(before, after),
				};
			},
		},
		claim,
	);
	return changes.map((change) => changeItem(change, entries));
}

/** A change as an item, with the entry as it is now. */
export function changeItem(change: CatalogChange, entries: readonly Model[]): IDataObject {
	const entry = entries.find(({ id }) => id === change.model);
	return { ...change, ...(entry && { entry }) } as IDataObject;
}
