import { createServer } from 'node:http';

import { secretsWithLedger } from '../engine/rig/calls';
import type { Outcome } from '../engine/rig/run';
import { listen } from '../service/listen';
import { startService, type Service } from '../service/service';
import { chanceOf } from './chance';
import { drawTroubles } from './drawing';
import { compare, fileOf, type Findings } from './findings';
import { startFailingLedger } from './ledger';
import { memoryWatch, type Memory } from './memory';
import { fetchFiles, scenarios, type Bench, type Scenario, type Wanted } from './scenarios';
import { storeInFolder } from './stored';
import { isUnknown, type Told } from './told';

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

export interface Soaked extends Findings {
	struck: Map<string, number>;
	/** Starts that were sent again although the service might have received them before. */
	sentAgain: string[];
	/** Executions that hold the key, and requests that brought it to another origin. */
	leaks: number;
	/** Jobs called unknown although nothing was done to their start: the machine was slower than the idle timeout. */
	unknownForNothing: string[];
	/** What went on outside of the specification. */
	unexpected: string[];
	/** Jobs whose file came only when it was asked for once more with their id. */
	recovered: number;
	byScenario: Array<{ name: string; jobs: number; files: number; unknown: number }>;
	memory: Memory | undefined;
	seconds: number;
}

/** How often a file that did not come is asked for again with its id. */
const ROUNDS = 8;

const keyIn = (text: string) => /soak-\d+/.exec(text)?.[0] ?? '';

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
	const byScenario = through.map(({ name }) => ({ name, jobs: 0, files: 0, unknown: 0 }));
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
			const row = byScenario[through.indexOf(scenario)]!;
			row.jobs += made.length;
			row.files += inTheEnd;
			row.unknown += made.filter(isUnknown).length;
			// what the service remembers of requests is not what is measured
			service.requests.length = 0;
			ledger.service.requests.length = 0;
			memory.look(told.length / jobs);
			options.onProgress?.((done += wanted.length));
		}
	};
	try {
		await Promise.all(Array.from({ length: lanes }, work));
		return {
			...(await compare(told, service, keyIn)),
			struck: drawing.struck,
			sentAgain: drawing.sentAgain,
			unknownForNothing: told
				.filter((each) => isUnknown(each) && !drawing.leftOpen.has(each.key))
				.map((each) => each.key),
			leaks: leaks + files.keysSeen(),
			unexpected: service.unexpected,
			recovered,
			byScenario,
			memory: memory.read(),
			seconds: (performance.now() - begun) / 1000,
		};
	} finally {
		files.stop();
		await service.stop();
		await ledger.stop();
	}
}

const isOpen = ({ ids, file, failed }: Told) => ids.size > 0 && !file && !failed;

const MODELS: Array<[mediaType: string, model: string]> = [
	['images', 'canvas/sketch-1'],
	['videos', 'reel/clip-3'],
	['music', 'tune/melody-1'],
	['audio', 'voice/speaker-1'],
];

/** Most files are small, some have half a megabyte; a few jobs fail at the service. */
function wantedOf(seed: number, number: number): Wanted {
	const key = `soak-${number}`;
	const [mediaType, model] = MODELS[number % MODELS.length]!;
	const chance = chanceOf(seed, 'job', key);
	const directive = chance < 0.03 ? ' [[fail]]' : chance < 0.15 ? ' [[size:500000]]' : '';
	return { key, mediaType, model, prompt: `${key} of the soak${directive}` };
}

/** Another origin, which the service redirects to, and which must not see its key. */
async function startFileServer(service: Service) {
	let seen = 0;
	const server = createServer(async (request, response) => {
		if (JSON.stringify(request.rawHeaders).includes(service.router.keys.main)) seen++;
		const job = service.world.jobs.get(decodeURIComponent((request.url ?? '/').slice(1)));
		if (!job) return void response.writeHead(404).end();
		response.writeHead(200).end(await fileOf(job));
	});
	const url = `http://127.0.0.1:${await listen(server)}`;
	return {
		url,
		keysSeen: () => seen,
		stop: () => {
			server.closeAllConnections();
			server.close();
		},
	};
}
