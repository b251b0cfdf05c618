import type { Fault } from '../service/service';
import { startDataTables, type DataTables } from '../engine/rig/dataTables';
import { chanceOf } from './chance';

/** What n8n's own API does wrong: the answer is lost, the request is lost, n8n is restarting. */
const TROUBLES: Fault[] = [
	{ type: 'reset_peer', effect: true },
	{ type: 'reset_unread' },
	{ type: 'status', status: 503 },
	{ type: 'status', status: 500, effect: true },
];
/** Part of the requests that something happens to. */
const SHARE = 0.08;

/** A job ledger whose n8n fails, too. */
export async function startFailingLedger(seed: number): Promise<DataTables> {
	const ledger = await startDataTables();
	let requests = 0;
	const draw = () => {
		const chance = chanceOf(seed, 'ledger', String(++requests)) / SHARE;
		return chance < 1 ? TROUBLES[Math.floor(chance * TROUBLES.length)]! : [];
	};
	ledger.service.fault({ match: { path: '/rows' }, do: draw });
	return ledger;
}
