import { BinaryDataService } from 'n8n-core';

import { secretsWithLedger } from '../engine/rig/calls';
import { Container } from '../engine/rig/container';
import { startDataTables } from '../engine/rig/dataTables';
import type { Outcome } from '../engine/rig/run';
import { startService } from '../service/service';
import { bookOf, compare, type Said, type Soaked } from './book';
import { fetchFiles, isOpen, scenarios, type Bench, type Scenario, type Told } from './scenarios';
import { drawLedgerTroubles, drawTroubles } from './troubles';
import { inBatches, manyWanted, startFileServer } from './wanted';

interface SoakOptions {
	jobs: number;
	seed: number;
	/** Items of one execution. */
	batch: number;
	/** Executions at the same time. */
	lanes: number;
	pack?: Bench['pack'];
	/** By default all that there are, in turn. */
	through?: Record<string, Scenario>;
	/** Is told how many jobs have come to their end. */
	onProgress?(done: number): void;
}

/** How often a file that did not come is asked for again with its id. */
const ROUNDS = 8;

/** Makes jobs, from start to file, while everything goes wrong that can, and compares with the service's own book. */
export async function soak(options: SoakOptions): Promise<Soaked> {
	const { jobs, seed, batch, lanes, pack, through = scenarios, onProgress } = options;
	// n8n keeps files in its folder, as it does outside of queue mode
	await Container.get(BinaryDataService).init();
	const service = await startService();
	service.setBalance(1e15);
	const files = await startFileServer(service);
	const ledger = await startDataTables();
	drawLedgerTroubles(ledger.service, seed);
	const { struck, sentAgain, refuse } = drawTroubles(service, seed, files.addressOf);
	const keys = [service.router.keys.main, ledger.ledgerFields.n8nApiKey];
	const bench: Bench = {
		...{ secrets: secretsWithLedger(service, ledger), refuse },
		seen({ run, error }: Outcome) {
			const all = JSON.stringify([run, error?.message, error?.description]);
			if (keys.some((each) => all.includes(each))) files.leaks.push('an execution');
		},
		...(pack && { pack }),
	};
	const names = Object.keys(through);
	const batches = inBatches(manyWanted(seed, jobs), batch).map((wanted, at) => ({
		...{ wanted, scenario: names[at % names.length]! },
	}));
	const filesOf = new Map(names.map((name) => [name, 0]));
	const told: Told[] = [];
	const filesIn = (some: Told[]) => some.filter(({ file }) => file).length;
	let recovered = 0;

	const work = async () => {
		for (let next = batches.shift(); next; next = batches.shift()) {
			const { wanted, scenario } = next;
			const made = await through[scenario]!(wanted, bench);
			recovered -= filesIn(made);
			for (let round = 0; round < ROUNDS && made.some(isOpen); round++)
				await fetchFiles(made, wanted, bench);
			recovered += filesIn(made);
			told.push(...made);
			filesOf.set(scenario, (filesOf.get(scenario) ?? 0) + filesIn(made));
			for (const each of [service, ledger.service]) each.requests.length = 0;
			onProgress?.(told.length);
		}
	};
	try {
		await Promise.all(Array.from({ length: lanes }, work));
		const wanted = told.map(({ key }) => ({ key, hasKey: true }));
		const evidence = { wanted, sentAgain, ...evidenceOf(told) };
		const { lists, unknown } = compare(evidence, await bookOf(service));
		return {
			lists: { ...lists, unexpected: service.unexpected, leaks: files.leaks },
			unknown,
			tables: { 'files by': filesOf, requests: struck },
			facts: {
				'jobs booked by the service': service.world.starts.length,
				files: filesIn(told),
				'of them brought later, by the ID of the job': recovered,
				'failed at the service': told.filter(({ failed }) => failed).length,
			},
		};
	} finally {
		files.stop();
		await service.stop();
		await ledger.stop();
	}
}

function evidenceOf(told: Told[]) {
	const said = told.flatMap(({ key, ids, outcome }): Said[] =>
		ids.size ? [...ids].map((jobId) => ({ key, jobId })) : outcome ? [{ key, outcome }] : [],
	);
	const arrivals = told.flatMap(({ ids, file }) => [
		...[...ids].map((jobId) => ({ jobId })),
		...(file ? [file] : []),
	]);
	return { said, arrivals };
}
