import { setTimeout as pause } from 'node:timers/promises';

import { RestError } from '../../n8n/editor';
import type { PublicApi } from '../../n8n/publicApi';

/** What is read of a row of the job ledger. */
export interface Row {
	id: number;
	state: string;
	jobId: string;
	/** The key of the wanted job. */
	label: string;
	leaseUntil: number;
	/** Milliseconds since 1970 from which the job is due for a check. */
	checkAt: number;
	failures: number;
	note: string;
}

/** Most rows that n8n returns at once. */
const PAGE = 250;

/** The job ledger from outside, over n8n's API. */
export function openRows(api: PublicApi, tableId: string) {
	const rows = `/data-tables/${tableId}/rows`;
	const page = async (lastId: number) => {
		const filters = [{ columnName: 'id', condition: 'gt', value: lastId }];
		const filter = encodeURIComponent(JSON.stringify({ type: 'and', filters }));
		const path = `${rows}?limit=${PAGE}&sortBy=id%3Aasc&filter=${filter}`;
		return (await api.call<{ data: Row[] }>('GET', path)).data;
	};
	return {
		async read(): Promise<Row[]> {
			const found: Row[] = [];
			for (;;) {
				const next = await page(found.at(-1)?.id ?? 0);
				found.push(...next);
				if (next.length < PAGE) return found;
			}
		},
		/** Lets a time of a row be over, if the row is still the same. @returns whether it was */
		async letPass(row: Row, time: 'leaseUntil' | 'checkAt'): Promise<boolean> {
			const { id, state } = row;
			const filters = Object.entries({ id, state, [time]: row[time] }).map(
				([columnName, value]) => ({ columnName, condition: 'eq', value }),
			);
			const filter = { type: 'and', filters };
			const body = { filter, data: { [time]: 1 }, returnData: true };
			return (await api.call<Row[]>('PATCH', `${rows}/update`, body)).length > 0;
		},
	};
}

export type Rows = ReturnType<typeof openRows>;

/** Asks again until n8n answers: main may be starting. @throws the last error after a minute */
export async function insist<Result>(ask: () => Promise<Result>): Promise<Result> {
	const until = Date.now() + 60_000;
	for (;;) {
		try {
			return await ask();
		} catch (error) {
			// n8n has understood the question, and refuses it
			const isRefused = error instanceof RestError && [400, 401, 403].includes(error.status);
			if (isRefused || Date.now() > until) throw error;
			await pause(1000);
		}
	}
}
