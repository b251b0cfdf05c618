import { createRequire } from 'node:module';
import { join } from 'node:path';
import { request } from 'undici';
import type * as Entries from '../../src/ledger/entry.ts';
import type { Instance } from '../n8n/instance.ts';
import { dataTableScopes } from '../n8n/instanceOn.ts';
import { PublicApi } from '../n8n/publicApi.ts';
import type { Nodes } from './nodesUnderTest.ts';
import { minus } from './numbers.ts';
import { startPollProcess } from './pollProcess.ts';
import { undiciStates } from './raw.ts';
import { call } from './row.ts';
import type { LeanService } from './service.ts';
import { cpuOf, cpuOfMachine, mostMemory, startMemory } from './usage.ts';
import { otherId, watchedId } from './watchedJobs.ts';
import { benchWorkflow, bodyWith } from './workflows.ts';

/** So many jobs that the service is asked for, and milliseconds that it takes for each answer. */
export interface PollCase {
	name: string;
	jobs: number;
	latency: number;
}

/** What one poll took, or the same requests without our node. CPU and memory are known on Linux only. */
export interface PollSample {
	/** Seconds. */
	wall: number;
	/** Requests for the state of a job that is watched, and all requests to the service. */
	asked: number;
	toService: number;
	toN8n: number;
	mostInFlight: number;
	/** CPU seconds of the process that asks, and of the n8n that keeps the ledger. */
	cpu: number | undefined;
	cpuOfN8n: number | undefined;
	/** MB at most above what the process held before, and the same of n8n. */
	growth: number | undefined;
	growthOfN8n: number | undefined;
	/** Processors that everybody else has kept busy meanwhile. */
	others: number | undefined;
}

export interface PollFigures extends PollCase {
	/** As n8n makes them, one a minute, the first being that of the activation. */
	polls: PollSample[];
	/** After how many of them every job had been asked for. */
	untilAll: number | undefined;
	/** Requests for a job that had been asked for before, while another one had not. */
	tooEarly: number;
	/** Looks at n8n while it was polled, and those at which it was not ready. */
	looks: number;
	unready: number;
	/** As many requests without n8n, and by its HTTP Request node, once after each poll; of a thousand jobs at most. */
	raw: PollSample[];
	httpRequest: PollSample[];
}

/** As many requests at the same time as the trigger makes. */
export const POLL_CONCURRENCY = 8;

const LATENCIES = [0, 100];

export const pollCases = (numbers: number[]): PollCase[] =>
	numbers.flatMap((jobs) =>
		LATENCIES.map((latency) => ({
			name: `${jobs} jobs${latency ? `, ${latency} ms latency` : ''}`,
			...{ jobs, latency },
		})),
	);

/** Gives up when so many polls have not asked for every job. */
const MOST_POLLS = 20;
/** Beyond that others would take minutes, and n8n too much memory. */
const MOST_COMPARED = 1000;

/**
 * A trigger that watches unfinished jobs, in n8n-core's poll executor, with a table of the given n8n as job ledger.
 *
 * @param rounds How many polls there are at least, where others do the same between them.
 */
export async function measurePolls(
	instance: Instance,
	service: LeanService,
	nodes: Nodes,
	{ jobs, latency, name }: PollCase,
	rounds: number,
): Promise<PollFigures> {
	const ledger = await ledgerOf(instance, name, jobs);
	const figures: PollFigures = {
		...{ name, jobs, latency, polls: [], raw: [], httpRequest: [] },
		...{ untilAll: undefined, tooEarly: 0, looks: 0, unready: 0 },
	};
	const path = await httpRequestWorkflow(instance, nodes, name);
	const ids = Array.from({ length: jobs }, (_, job) => otherId(job));
	const isCompared = jobs <= MOST_COMPARED;
	const least = isCompared ? rounds : 1;
	const account = { baseUrl: service.url, apiKey: 'a-key-of-the-benchmark' };
	const polled = await startPollProcess({
		secrets: { modelRouterApi: { ...account, ...ledger } },
		n8n: new URL(instance.url).host,
	});
	const n8n = instance.pid ?? 0;
	const compared = async (worker: number, run: () => Promise<void>) => {
		const sample = await sampled(service, [worker, n8n], run);
		if (sample.toService !== jobs) throw new Error(`${sample.toService} of ${jobs} were asked for`);
		return sample;
	};
	try {
		await service.watchedJobs({ jobs, latency });
		let seen = await service.watchedJobs();
		while (figures.polls.length < least || seen.asked < jobs) {
			if (figures.polls.length === MOST_POLLS)
				throw new Error(`${MOST_POLLS} polls asked for ${seen.asked} of ${jobs} jobs only`);
			const looks = lookAt(instance);
			const sample = await sampled(service, [polled.pid, n8n], async () => {
				const { toN8n, items } = await polled.poll();
				if (items) throw new Error(`a poll emitted ${items} jobs, and none of them is done`);
				return toN8n;
			});
			const { looked, unready } = await looks.end();
			[figures.looks, figures.unready] = [figures.looks + looked, figures.unready + unready];
			seen = await service.watchedJobs();
			figures.polls.push(sample);
			if (seen.asked === jobs) figures.untilAll ??= figures.polls.length;
			if (!isCompared) continue;
			figures.raw.push(
				await compared(process.pid, async () => {
					await undiciStates(service.url, jobs, POLL_CONCURRENCY);
				}),
			);
			figures.httpRequest.push(
				await compared(n8n, async () => {
					await call(`${instance.url}/webhook/${path}`, bodyWith(ids));
				}),
			);
		}
		figures.tooEarly = seen.tooEarly;
	} finally {
		await polled.stop();
	}
	return figures;
}

/** A table with unfinished jobs that were started within the last minute. @returns the credential of the ledger */
export async function ledgerOf(
	{ url, editor }: Pick<Instance, 'url' | 'editor'>,
	name: string,
	jobs: number,
	account = 'modelRouterApi',
) {
	const built = join(import.meta.dirname, '../../dist/src/ledger/entry.js');
	const { columns, toRow } = createRequire(import.meta.url)(built) as typeof Entries;
	const apiKey = await editor.createApiKey(dataTableScopes);
	const api = new PublicApi(url, apiKey);
	const table = `Media Jobs of ${name}`;
	const { id } = await api.call<{ id: string }>('POST', '/data-tables', {
		name: table,
		columns: Object.entries(columns).map(([column, type]) => ({ name: column, type })),
	});
	const now = Date.now();
	const rows = Array.from({ length: jobs }, (_, job) => {
		const startedAt = now - Math.round((60_000 * (jobs - job)) / jobs);
		return toRow({
			...{ state: 'pending', jobId: watchedId(job), segment: 'images', model: 'bench/picture' },
			...{ account, startedAt, checkAt: startedAt },
			record: JSON.stringify({ id: watchedId(job), status: 'queued', estimated_cost: 40_000 }),
		});
	});
	for (let at = 0; at < jobs; at += 1000) {
		const data = rows.slice(at, at + 1000);
		await api.call('POST', `/data-tables/${id}/rows`, { data, returnType: 'count' });
	}
	return { useJobLedger: true, n8nUrl: url, n8nApiKey: apiKey, ledgerTable: table };
}

async function httpRequestWorkflow({ editor }: Instance, nodes: Nodes, name: string) {
	const path = `poll-${name}`.replace(/\W+/g, '-');
	const file = benchWorkflow(path, nodes.httpRequestState());
	await editor.activate(await editor.importWorkflow(file));
	return path;
}

/** @param run Returns its requests to n8n. */
async function sampled(
	service: LeanService,
	[worker, n8n]: [number, number],
	run: () => Promise<number | void>,
): Promise<PollSample> {
	const own = [...new Set([worker, n8n, service.pid, process.pid])];
	await service.counts();
	const before = (await service.watchedJobs()).reads;
	const [held, heldByN8n] = [startMemory(worker), startMemory(n8n)];
	const [machine, ...used] = [cpuOfMachine(), ...own.map(cpuOf)];
	const started = performance.now();
	const toN8n = (await run()) ?? 0;
	const wall = (performance.now() - started) / 1000;
	const taken = own.map((pid, index) => minus(cpuOf(pid), used[index]));
	const all = minus(cpuOfMachine(), machine);
	const [most, mostOfN8n] = [mostMemory(worker), mostMemory(n8n)];
	const { requests, mostInFlight } = await service.counts();
	return {
		...{ wall, toN8n, mostInFlight, toService: requests },
		asked: (await service.watchedJobs()).reads - before,
		cpu: taken[own.indexOf(worker)],
		cpuOfN8n: taken[own.indexOf(n8n)],
		growth: minus(most, held),
		growthOfN8n: minus(mostOfN8n, heldByN8n),
		others:
			all === undefined
				? undefined
				: Math.max(0, all - taken.reduce<number>((sum, each) => sum + (each ?? 0), 0)) / wall,
	};
}

/** Looks whether n8n is ready to work, again and again. */
function lookAt({ url }: Instance) {
	let [going, looked, unready] = [true, 0, 0];
	const looking = (async () => {
		while (going) {
			const { statusCode, body } = await request(`${url}/healthz/readiness`);
			await body.dump();
			looked++;
			if (statusCode !== 200) unready++;
			await new Promise((later) => setTimeout(later, 500));
		}
	})();
	return {
		async end() {
			going = false;
			await looking;
			return { looked, unready };
		},
	};
}
