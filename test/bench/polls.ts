import { buildSync } from 'esbuild';
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type * as Entries from '../../src/ledger/entry.ts';
import { dataTableScopes, PublicApi } from '../n8n/publicApi.ts';
import { interleave } from './figures.ts';
import type { Host } from './hosts.ts';
import { otherId, statePath, watchedId } from './jobs.ts';
import type { PollAnswer, PollOrder } from './polling.ts';
import { HTTP, type Sample, type Samples } from './row.ts';
import { sampled } from './sample.ts';
import { inN8n } from './workflows.ts';

/** As many requests at the same time as the trigger makes. */
const CONCURRENCY = 8;

/** Polls of unfinished jobs, beside the same requests by n8n's helper alone and by its HTTP Request node. */
export async function measurePolls(host: Host): Promise<Samples> {
	const { service, nodes, sizes } = host;
	const jobs = sizes.polled;
	const ids = Array.from({ length: jobs }, (_, job) => otherId(job));
	const urls = ids.map((id) => service.url + statePath(id));
	const polled = await startPolls(host, jobs);
	const byHelper = async () => void (await polled.ask({ urls, concurrency: CONCURRENCY }));
	try {
		// the first ones compile
		await polled.poll();
		await byHelper();
		return await interleave(host.rounds(5), {
			async ours() {
				const sample = await polled.poll();
				if (sample.asked === jobs) return sample;
				throw new Error(`a poll asked for ${sample.asked} of ${jobs} jobs only`);
			},
			"n8n's helper": async () => await sampled(host, { worker: polled.pid }, byHelper),
			[HTTP]: await inN8n(host, { tested: nodes.httpState(), items: ids, warmUps: 1 }),
		});
	} finally {
		await polled.stop();
	}
}

/** A trigger in a process of its own, so that what it takes can be told from what n8n takes for its ledger. */
async function startPolls(host: Host, jobs: number) {
	const { service, url } = host;
	const ledger = await ledgerOf(host, jobs);
	await service.counts({ jobs });
	const account = { baseUrl: service.url, apiKey: 'a-key-of-the-benchmark' };
	const child = fork(bundled(), {
		env: {
			PATH: process.env['PATH'],
			NODE_ENV: 'production',
			N8N_USER_FOLDER: mkdtempSync(join(tmpdir(), 'poll-')),
			N8N_LOG_LEVEL: 'silent',
			N8N_ENCRYPTION_KEY: 'the key of the benchmark',
		},
		execArgv: [],
	});
	const exit = once(child, 'exit');
	const ended = exit.then(() => Promise.reject(new Error('the process of the polls ended')));
	ended.catch(() => undefined);
	const ask = async (order: PollOrder) => {
		child.send(order);
		const [answer] = (await Promise.race([once(child, 'message'), ended])) as [PollAnswer];
		if (answer.error) throw new Error(`a poll failed: ${answer.error}`);
		return answer;
	};
	await ask({ secrets: { modelRouterApi: { ...account, ...ledger } }, n8n: new URL(url).host });
	const pid = child.pid ?? 0;
	return {
		ask,
		pid,
		async poll(): Promise<Sample> {
			const before = await service.counts();
			let toN8n = 0;
			const sample = await sampled(host, { worker: pid }, async () => {
				({ toN8n } = await ask('poll'));
			});
			const after = await service.counts();
			const asked = after.reads - before.reads;
			const more = { asked, 'too early': after.tooEarly, 'to n8n': (1000 * toN8n) / asked };
			return { ...sample, ...more };
		},
		async stop() {
			child.disconnect();
			await exit;
		},
	};
}

/** Bundled beside the sources, where n8n's engine is found. */
function bundled() {
	const folder = join(import.meta.dirname, '../../.bench');
	mkdirSync(folder, { recursive: true });
	const outfile = join(folder, 'polling.cjs');
	buildSync({
		entryPoints: [join(import.meta.dirname, 'polling.ts')],
		outfile,
		bundle: true,
		format: 'cjs',
		platform: 'node',
		packages: 'external',
	});
	return outfile;
}

/**
 * A table with unfinished jobs that were started within the last minute.
 *
 * @param credentialId The ID of the credential that they were started with.
 * @returns the fields of that credential which name the table
 */
export async function ledgerOf(
	{ url, editor }: Host,
	jobs: number,
	credentialId = 'modelRouterApi',
): Promise<Record<string, unknown>> {
	const built = join(import.meta.dirname, '../../dist/src/ledger/entry.js');
	const { columns, toRow } = createRequire(import.meta.url)(built) as typeof Entries;
	const n8nApiKey = await editor.createApiKey(dataTableScopes);
	const api = new PublicApi(url, n8nApiKey);
	const ledgerTable = `${jobs} media jobs of ${credentialId}`;
	const { id } = await api.call<{ id: string }>('POST', '/data-tables', {
		name: ledgerTable,
		columns: Object.entries(columns).map(([name, type]) => ({ name, type })),
	});
	const now = Date.now();
	const rows = Array.from({ length: jobs }, (_, job) => {
		const startedAt = now - Math.round((60_000 * (jobs - job)) / jobs);
		return toRow({
			state: 'pending',
			jobId: watchedId(job),
			mediaType: 'images',
			model: 'bench/picture',
			credentialId,
			startedAt,
			checkAt: startedAt,
			record: JSON.stringify({ id: watchedId(job), status: 'queued', estimated_cost: 40_000 }),
		});
	});
	for (let at = 0; at < jobs; at += 1000) {
		const data = rows.slice(at, at + 1000);
		await api.call('POST', `/data-tables/${id}/rows`, { data, returnType: 'count' });
	}
	return { useJobLedger: true, n8nUrl: url, n8nApiKey, ledgerTable };
}
