import { randomUUID } from 'node:crypto';
import type { PublicApi } from './publicApi.ts';

export interface Row {
	id: number;
	jobId: string;
	status: string;
	claim: string | null;
}

const columns = ['jobId', 'status', 'claim'].map((name) => ({ name, type: 'string' }));
const equal = (columnName: string, value: string | null) => ({
	columnName,
	condition: 'eq',
	value,
});

/** One table, and the calls that a ledger makes. */
export async function makeTable(api: PublicApi) {
	const { id } = await api.call<{ id: string }>('POST', '/data-tables', {
		name: randomUUID(),
		columns,
	});
	const rows = `/data-tables/${id}/rows`;
	return {
		name: `data_table_user_${id}`,
		insert: (data: Array<Partial<Row>>) => api.call('POST', rows, { data, returnType: 'count' }),
		list: async (jobId: string) => {
			const filter = JSON.stringify({ type: 'and', filters: [equal('jobId', jobId)] });
			const path = `${rows}?limit=250&filter=${encodeURIComponent(filter)}`;
			return (await api.call<{ data: Row[] }>('GET', path)).data;
		},
		/** Compare-and-set: the rows that were pending and are now claimed by `claim`. */
		claim: (jobId: string, claim: string) =>
			api.call<Row[]>('PATCH', `${rows}/update`, {
				filter: { type: 'and', filters: [equal('jobId', jobId), equal('status', 'pending')] },
				data: { status: 'claimed', claim },
				returnData: true,
			}),
	};
}

export type Table = Awaited<ReturnType<typeof makeTable>>;

/** One of those that claimed a row has got it, and the row says which. */
export async function expectOneWinner(table: Table, jobId: string, claims: Array<Promise<Row[]>>) {
	const won = (await Promise.all(claims)).flat();
	expect(won).toMatchObject([{ jobId, status: 'claimed' }]);
	expect(won[0]!.claim).toMatch(/^claimant /);
	expect(await table.list(jobId)).toMatchObject([{ status: 'claimed', claim: won[0]!.claim }]);
}

export const claimantsOf = (count: number) =>
	Array.from({ length: count }, (_, each) => `claimant ${each}`);
