// What requests to Data Tables take, and what n8n's main process does for them. test/explore reads what is written.
import { readFileSync, writeFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { instanceOn, type Database, type InstanceOn } from '../n8n/instanceOn.ts';
import type { Host } from './hosts.ts';
import type { Measure, Sample, Samples } from './row.ts';
import { minus } from './sample.ts';
import { CALLERS, type Given, type TableRequest, tableRequests } from './tableRequests.ts';
import { makeTable } from './tableRows.ts';
import { cpuOf, cpuOfChildren, cpuOfMachine } from './usage.ts';

/** How many requests of a kind are sent: at least, at most, and until when. */
interface Load {
	callers: number;
	least: number;
	most: number;
	milliseconds: number;
}

const ALONE: Load = { callers: 1, least: 5, most: 40, milliseconds: 1000 };
const AT_ONCE: Load = { callers: CALLERS, least: CALLERS, most: 120, milliseconds: 1500 };
/** Milliseconds of a request from which it is only sent alone. */
const TOO_LONG = 600;
/** Rows of which each is deleted by a request. */
const SPARE = 1 + ALONE.most + AT_ONCE.most;

/** Every kind of request on both databases, with more and more rows. */
async function measureTables({ sizes }: Host) {
	const samples: Samples = {};
	for (const database of ['sqlite', 'postgres'] as const)
		Object.assign(samples, await measureOn(database, sizes.tableRows));
	return samples;
}

/** The same, whose figures are written into the file that a simulation reads. */
export async function measureAndKeep(host: Host): Promise<Samples> {
	const samples = await measureTables(host);
	if (host.sizes.tableRows.length > 1) writeFileSync(KEPT, textOf(samples));
	return samples;
}

async function measureOn(database: Database, counts: readonly number[]) {
	const samples: Samples = {};
	// 100,000 rows take almost all that n8n allows
	const env = { N8N_DATA_TABLES_MAX_SIZE_BYTES: '2000000000' };
	const on = await instanceOn(database, { env });
	try {
		const { given, fill } = await makeTable(on, SPARE);
		for (const rows of counts) {
			await fill(rows);
			for (const [kind, send] of Object.entries(tableRequests))
				samples[`${database}, ${rows} rows: ${kind}`] = [await measure(on, given, send)];
		}
	} finally {
		await on.stop();
	}
	return samples;
}

async function measure(on: InstanceOn, given: Given, send: TableRequest): Promise<Sample> {
	let turn = 0;
	const once = async (caller: number) => await send(given, caller, turn++);
	await once(0);
	const alone = await under(on, ALONE, once);
	const least = alone.times[0] ?? 0;
	const together = least > TOO_LONG ? undefined : await under(on, AT_ONCE, once);
	return {
		'alone least ms': least,
		'of 20 ms': together?.times[together.times.length >> 1],
		'alone CPU ms': alone.used['CPU ms'],
		...(together ?? alone).used,
		unanswered: together?.failed,
	};
}

/**
 * Sends requests of one kind.
 *
 * @returns milliseconds of each, the shortest first, and what the processes have used for one.
 */
async function under(
	on: InstanceOn,
	{ callers, least, most, milliseconds }: Load,
	once: (caller: number) => Promise<unknown>,
) {
	const stop = startUsage(on);
	const begun = performance.now();
	const times: number[] = [];
	let [sent, failed] = [0, 0];
	const call = async (caller: number) => {
		while (sent < most && (sent < least || performance.now() - begun < milliseconds)) {
			sent++;
			const from = performance.now();
			// PostgreSQL ends a deadlock of changes of the same rows
			await once(caller).catch(() => failed++);
			times.push(performance.now() - from);
		}
	};
	await Promise.all(Array.from({ length: callers }, (_, caller) => call(caller)));
	times.sort((one, other) => one - other);
	return { times, failed, used: stop(sent) };
}

/** @returns what ends the measurement: it tells what was used for each of so many requests. */
function startUsage({ instance, postgres }: InstanceOn): (requests: number) => Sample {
	const main = instance.pid ?? 0;
	const read = () => ({
		all: cpuOfMachine(),
		main: cpuOf(main),
		ours: cpuOf(process.pid),
		database: postgres && cpuOfChildren(postgres.pid ?? 0),
	});
	const [begun, before] = [performance.now(), read()];
	return (requests) => {
		const now = read();
		const seconds = (part: keyof typeof now) => minus(now[part], before[part]);
		const used = seconds('main');
		const own = (used ?? 0) + (seconds('ours') ?? 0) + (seconds('database') ?? 0);
		const others = minus(seconds('all'), own);
		return {
			'CPU ms': used && (1000 * used) / requests,
			'others busy': others && (1000 * Math.max(0, others)) / (performance.now() - begun),
		};
	};
}

const KEPT = 'test/explore/tableCosts.json';
const MEASURES = [
	...(['alone least ms', 'of 20 ms', 'alone CPU ms', 'CPU ms', 'others busy'] as const),
] satisfies Measure[];

/** One line for each kind of request, with the measures in the order of the first line. */
function textOf(samples: Samples) {
	const { version } = JSON.parse(
		readFileSync('test/host/node_modules/n8n/package.json', 'utf8'),
	) as { version: string };
	const about = {
		measured: new Date().toISOString().slice(0, 10),
		n8n: version,
		node: process.version,
		machine: `${cpus().length} x ${cpus()[0]?.model ?? 'unknown'}`,
		measures: MEASURES,
	};
	const rounded = (value: number | undefined) =>
		value === undefined ? null : Number(value.toPrecision(3));
	const lines = Object.entries(samples).map(([name, [sample]]) => {
		const values = MEASURES.map((measure) => rounded(sample?.[measure]));
		return `\t\t${JSON.stringify(name)}: [${values.map(String).join(', ')}]`;
	});
	const head = JSON.stringify(about, null, '\t').replace(/\n\}$/, '');
	return `${head},\n\t"costs": {\n${lines.join(',\n')}\n\t}\n}\n`;
}
