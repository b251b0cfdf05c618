import { secretsWithLedger } from '../engine/rig/calls';
import type { Outcome } from '../engine/rig/run';
import { startService } from '../service/service';
import { drawTroubles } from './drawing';
import { bookOf, compare } from './book';
import { startFileServer } from './files';
import { startFailingLedger } from './ledger';
import { memoryWatch } from './memory';
import type { Soaked } from './report';
import { fetchFiles, scenarios, type Bench, type Scenario } from './scenarios';
import { storeInFolder } from './stored';
import { evidenceOf, type Told } from './told';
import { keyIn, wantedOf } from './wanted';

export interface SoakOptions {
	jobs: number;
	seed: number;
	/** Items of one execution. */
	batch: number;
	/** Executions at the same time. */
	lanes: number;
	pack?: Bench['pack'];
	/** By default all that there are, in turn. */
	through?: readonly Scenario[];
	/** Is told of every execution that has come to its end. */
	onProgress?(done: number): void;
}

/** How often a file that did not come is asked for again with its id. */
const ROUNDS = 8;

/** Makes jobs, from start to file, while everything goes wrong that can, and compares with the service's own book. */
export async function soak(options: SoakOptions): Promise<Soaked> {
	const { jobs, seed, batch, lanes, pack, through = scenarios } = options;
	await storeInFolder();
	const service = await startService();
	service.setBalance(1e15);
	const files = await startFileServer(service);
	const ledger = await startFailingLedger(seed);
	const begun = performance.now();
	const drawing = drawTroubles(service, {
		seed,
		keyIn,
		elsewhere: (jobId) => `${files.url}/${encodeURIComponent(jobId)}`,
	});
	let leaks = 0;
	const keys = [service.router.keys.main, ledger.ledgerFields.n8nApiKey];
	const bench: Bench = {
		secrets: secretsWithLedger(service, ledger),
		refuse: drawing.refuse,
		seen: ({ run, error }: Outcome) => {
			const all = JSON.stringify([run, error?.message, error?.description]);
			if (keys.some((each) => all.includes(each))) leaks++;
		},
		...(pack && { pack }),
	};
	const all = Array.from({ length: jobs }, (_, number) => wantedOf(seed, number));
	const batches = Array.from({ length: Math.ceil(jobs / batch) }, (_, each) => ({
		wanted: all.slice(each * batch, (each + 1) * batch),
		scenario: through[each % through.length]!,
	}));
	const filesOf = new Map(through.map(({ name }) => [name, 0]));
	const told: Told[] = [];
	const memory = memoryWatch();
	let recovered = 0;
	let done = 0;

	const work = async () => {
		for (let next = batches.shift(); next; next = batches.shift()) {
			const { wanted, scenario } = next;
			const made = await scenario.make(wanted, bench);
			const atFirst = made.filter(({ file }) => file).length;
			for (let round = 0; round < ROUNDS && made.some(isOpen); round++)
				await fetchFiles(made, wanted, bench);
			const inTheEnd = made.filter(({ file }) => file).length;
			recovered += inTheEnd - atFirst;
			told.push(...made);
			filesOf.set(scenario.name, (filesOf.get(scenario.name) ?? 0) + inTheEnd);
			// what the service remembers of requests is not what is measured
			service.requests.length = 0;
			ledger.service.requests.length = 0;
			memory.look(told.length / jobs);
			options.onProgress?.((done += wanted.length));
		}
	};
	try {
		await Promise.all(Array.from({ length: lanes }, work));
		const { struck, sentAgain } = drawing;
		const count = (is: (each: Told) => unknown) => told.filter(is).length;
		return {
			...compare({ ...(await bookOf(service)), ...evidenceOf(told), sentAgain }),
			booked: service.world.starts.length,
			leaks: leaks + files.keysSeen(),
			unexpected: service.unexpected,
			memory: memory.read(),
			tables: { 'files by': filesOf, requests: struck },
			facts: {
				files: count(({ file }) => file),
				'of them brought later, by the ID of the job': recovered,
				'failed at the service': count(({ failed }) => failed),
			},
			seconds: (performance.now() - begun) / 1000,
		};
	} finally {
		files.stop();
		await service.stop();
		await ledger.stop();
	}
}

const isOpen = ({ ids, file, failed }: Told) => ids.size > 0 && !file && !failed;
