import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import type { Table, Where } from '../../src/tables/table';
import type { Timeline } from './timeline';

interface Measured {
	measures: string[];
	costs: Record<string, Array<number | null>>;
}

/** What `npm run bench -- --only "^tables"` has measured. */
const measured = JSON.parse(
	readFileSync(join(process.cwd(), 'test/explore/tableCosts.json'), 'utf8'),
) as Measured;

/** Where the tables are, as it was measured: queue mode needs PostgreSQL. */
export interface Database {
	database: 'sqlite' | 'postgres';
	rows: 1000 | 10_000 | 100_000;
	/** Milliseconds that a request takes where the machine is slower than the one that was measured. */
	latency?: number;
}

/** Milliseconds of main's processor that a request takes, among others and alone, and those that pass besides. */
function costOf({ database, rows, latency }: Database, kind: string) {
	const figures = measured.costs[`${database}, ${rows} rows: ${kind}`];
	if (!figures) throw new Error(`${kind} of ${rows} rows was not measured on ${database}`);
	const figure = (measure: string) => figures[measured.measures.indexOf(measure)] ?? 0;
	const [processor, alone] = [figure('CPU ms'), figure('alone CPU ms')];
	return { processor, alone, wait: Math.max(0, (latency ?? figure('alone least ms')) - alone) };
}

/** n8n's main process, whose processor does one request after another. */
export function createMain({ now, sleep }: Timeline, where: Database) {
	let freeAt = 0;
	const seen = { busy: 0, requests: 0, answeredAt: now() };
	const call = async <Result>(kind: string, action: () => Promise<Result>) => {
		const { processor, alone, wait } = costOf(where, kind);
		// one that meets no other takes half as much again, as it was measured
		const taken = freeAt > now() ? processor : alone;
		freeAt = Math.max(freeAt, now()) + taken;
		seen.busy += taken;
		seen.requests++;
		await sleep(freeAt - now() + wait / 2);
		// what a process reads does not change under its hands
		const result = structuredClone(await action());
		seen.answeredAt = now();
		await sleep(wait / 2);
		return result;
	};
	const isById = <Row>(filter: Where<Row>) =>
		'all' in filter && filter.all.some(([column, is]) => column === 'id' && is === 'eq');
	/** A table, as workers reach it. */
	const connect = <Row extends { id: number }, NewRow>(
		store: Table<Row, NewRow>,
	): Table<Row, NewRow> => ({
		find: async (...given) =>
			await call(isById(given[0]) ? 'find by ID' : 'find by key', () => store.find(...given)),
		add: async (row) => await call('insert', () => store.add(row)),
		change: async (...given) => await call('change by ID and claim', () => store.change(...given)),
		remove: async (...given) => await call('delete by ID', () => store.remove(...given)),
	});
	return { seen, connect };
}
