import { createAccounts } from '../../src/core/accounts';
import { isUnstarted, mapServiceError, ServiceError } from '../../src/core/errors';
import type { Http } from '../../src/core/http';
import { reserve } from '../../src/core/reserve';
import type { Entry } from '../../src/ledger/entry';
import { beginDelivery, endDelivery } from '../../src/ledger/delivery';
import { pollLedger } from '../../src/ledger/pollLedger';
import { readStoredRecord } from '../../src/paid/payJob';
import { reuseOrPay } from '../../src/paid/reuseJob';
import type { Job } from '../../src/router/jobRecord';
import { BudgetBook } from '../../src/spending/budgetBook';
import { parseBudget } from '../../src/spending/budgetState';
import { json, response, typed } from '../unit/inMemoryHttp';
import { startThroughLedger } from '../unit/ledger/startThroughLedger';
import { openBudget, settingsOf } from './budget';
import type { Played } from './explore';
import { CALM, createWorld, imageWith, type Process, watchingFrom, type Weather } from './world';

const [SECOND, MINUTE] = [1000, 60_000];
const LEASE = 10 * MINUTE;
/** Micro-dollars. */
const [BUDGET, COST] = [14_000, 2000];

const lost = { lostRequest: 0.03, lostAnswer: 0.05 };
export const scenarios: Record<string, Weather> = {
	'nothing goes wrong': CALM,
	'lost requests and answers': { ...CALM, ...lost },
	'workers that are killed': { ...CALM, ...lost, crash: 0.005 },
	'late changes, clocks 30 min apart': { ...CALM, late: 0.03, skew: 30 * MINUTE },
};

/** A job, as the service has it. */
interface Made {
	/** When the service knows it, and when it is done, has failed, or is forgotten. */
	knownAt: number;
	endsAt: number;
	goneAt: number;
	hasFailed: boolean;
}

/** One item of an execution by hand. */
interface Item {
	executionId: string;
	key: string;
	/** The row that was the last one of other executions when it began, and the one when it had a job. */
	before: Entry | undefined;
	after?: Entry | undefined;
	begunAt: number;
	reuses: boolean;
	jobId?: string;
	isPaid?: boolean;
}

/** Executions by hand on several workers, many of which are stopped, that ask for the same pictures. A trigger delivers what was started. */
export async function play(seed: number, weather: Weather): Promise<Played> {
	const world = createWorld(seed, weather);
	const { random, rows, say, at, log, faults, dead, now } = world;
	const jobs = new Map<string, Made>();
	const items: Item[] = [];
	const delivered: string[] = [];
	/** Failed jobs of which somebody has read that they cost nothing. */
	const free = new Set<string>();
	let unknown = 0;
	/** Whether n8n did not answer long enough for something not to be written. */
	let isUnwritten = false;
	const wrong: string[] = [];
	const settings = settingsOf(BUDGET, 'month');
	const processes = Array.from({ length: 3 }, (_, index) => ({
		process: world.createProcess(`P${index}`),
		book: new BudgetBook('b'),
	}));

	const lastRow = ({ key, executionId }: Pick<Item, 'key' | 'executionId'>) =>
		rows.findLast(
			(row) => row.state === 'reusable' && row.uniqueKey === key && row.executionId !== executionId,
		);

	const openService = ({ step }: Process): Http => ({
		async send({ path }) {
			await step(random() * 300);
			if (random() < 0.02) throw new ServiceError('unreachable', 'reset', { sent: true });
			const [, jobId = '', content] = /jobs\/([^/]+)(\/content)?$/.exec(path) ?? [];
			const job = jobs.get(jobId);
			if (!job || now() < job.knownAt || now() > job.goneAt)
				return response(json({ error: 'no such job' }, { status: 404 }));
			if (content) return response(typed('image/png', 'picture'));
			const status = now() < job.endsAt ? 'processing' : job.hasFailed ? 'failed' : 'completed';
			return response(json({ id: jobId, status }));
		},
	});

	const startJob = async ({ step, name }: Process) => {
		await step(random() * 500);
		if (random() < 0.05) throw new ServiceError('refused', 'no', { status: 400 });
		const jobId = `job-${jobs.size + 1}`;
		const endsAt = now() + random() * 5 * MINUTE;
		const goneAt = random() < 0.1 ? endsAt + MINUTE + random() * 20 * MINUTE : Infinity;
		const knownAt = now() + random() * 5 * SECOND;
		jobs.set(jobId, { knownAt, endsAt, goneAt, hasFailed: random() < 0.1 });
		say(name, `STARTS ${jobId}`);
		await step(random() * 500);
		if (random() < 0.03) throw new ServiceError('unreachable', 'reset', { sent: true });
		return jobId;
	};

	const execute = async ({ process, book }: (typeof processes)[number], number: number) => {
		const executionId = `${process.name}.E${number}`;
		const ledger = { ...process.ledger, executionId };
		const addHint = (sentence: string) => {
			say(executionId, sentence);
			isUnwritten ||= sentence.includes('could not be');
			if (sentence.includes('later executions')) wrong.push(`${executionId}: ${sentence}`);
		};
		let ids = 0;
		const newId = () => `${executionId}.${++ids}`;
		const open = async () => await Promise.resolve(ledger);
		const { clock } = ledger;
		const budget = openBudget({ book, settings, executionId, clock, addHint, open, newId });
		const accounts = createAccounts(undefined, budget);

		const pay = async () => {
			const of = { model: 'm', settings: 's', claim: undefined, label: '', lease: LEASE };
			const start = accounts.openStart(of);
			let held: Awaited<ReturnType<typeof reserve>> | undefined;
			const wanted = {
				...imageWith(LEASE),
				uniqueKey: '',
			};
			try {
				const started = await startThroughLedger(ledger, wanted, {
					reserve: async () => {
						held = await reserve(start.scopes, () => ({ microUsd: COST, advise: () => '' }));
					},
					async send(renew) {
						await renew();
						return await startJob(process);
					},
					toEntry: (jobId) => ({ jobId, requestId: '', record: '' }),
				});
				if ('earlier' in started) throw new Error('there is no key');
				isUnwritten ||= !started.entry;
				const jobId = started.result;
				start.setJob('images', jobId);
				await held?.settle(COST);
				const job = { jobId, mediaType: 'images', state: 'unfinished', record: {} } as const;
				return { job, model: 'm' };
			} catch (cause) {
				const isNothing = isUnstarted(cause);
				if (!isNothing) unknown++;
				await (isNothing ? held?.release() : held?.settle(undefined));
				throw mapServiceError(cause);
			}
		};

		const make = async (item: Item, isStopped: boolean) => {
			items.push(item);
			const building = {
				open,
				row: { credentialId: 'account', uniqueKey: item.key },
				since: 0,
				mediaType: 'images',
				reuses: item.reuses,
				resendIfUnknown: false,
				http: openService(process),
				clock,
				countEnded: ({ jobId, state }: Job) => {
					if (state !== 'failed') return;
					budget.endJob('images', jobId, 0);
					free.add(jobId);
				},
				addHint,
			} as const;
			const { job, reusedFrom } = await reuseOrPay(building, async () => {
				item.isPaid = true;
				item.after = lastRow(item);
				return await pay();
			});
			item.jobId = job.jobId;
			if (reusedFrom) item.after = lastRow(item);
			say(executionId, `has ${job.jobId} for ${item.key}${reusedFrom ? ', which was paid' : ''}`);
			const { endsAt, hasFailed } = jobs.get(job.jobId)!;
			await process.step(Math.max(0, endsAt - now()) * (isStopped ? random() : 1));
			if (isStopped && now() < endsAt) return;
			budget.endJob('images', job.jobId, hasFailed ? 0 : COST);
			if (hasFailed) free.add(job.jobId);
		};

		const isStopped = random() < 0.4;
		const counts: Record<string, number> = {};
		const keys = Array.from({ length: 1 + Math.floor(random() * 3) }, () => {
			const prompt = random() < 0.7 ? 'a cat' : 'a dog';
			counts[prompt] = (counts[prompt] ?? -1) + 1;
			return `reuse:${prompt} ${counts[prompt]}`;
		});
		await Promise.all(
			keys.map(async (key) => {
				const item: Item = {
					executionId,
					key,
					reuses: random() < 0.9,
					begunAt: now(),
					before: lastRow({ key, executionId }),
				};
				await make(item, isStopped).catch((cause: unknown) => say(executionId, String(cause)));
			}),
		);
		await accounts.close();
	};

	const poll = async (number: number) => {
		const process = world.createProcess(`poll${number}`, CALM);
		const { ledger } = process;
		const claim = `${process.name}.claim`;
		const watching = {
			...watchingFrom(now(), LEASE),
			async readStatus({ jobId }: Entry) {
				await process.step(random() * 100);
				const { endsAt, hasFailed } = jobs.get(jobId)!;
				const outcome = now() < endsAt ? 'unfinished' : hasFailed ? 'failed' : 'completed';
				return { outcome, record: '' } as const;
			},
			checkAlive: async () => ({}),
		};
		const delivery = { claim, lease: LEASE, isConfirmed: false };
		if (!(await pollLedger(ledger, watching, claim)).jobs.length) return;
		await beginDelivery(ledger, delivery);
		delivered.push(...(await endDelivery(ledger, delivery)).flatMap(([row]) => row?.jobId ?? []));
	};

	let begins = 0;
	for (let number = 1; number <= 12; number++) {
		// mostly after the one before, sometimes two at once
		begins += random() < 0.2 ? random() * SECOND : random() * 4 * MINUTE;
		at(begins, () => {
			const alive = processes.filter(({ process }) => !dead.has(process.name));
			const use = alive[Math.floor(random() * alive.length)];
			if (use) void execute(use, number);
		});
	}
	for (let number = 1; number <= 60; number++)
		at(number * MINUTE, () => {
			void poll(number).catch((cause: unknown) => say('poll', String(cause)));
		});
	await world.run(100_000);

	const isAlive = (row: Entry) => {
		const { jobId } = readStoredRecord(row);
		const job = typeof jobId === 'string' ? jobs.get(jobId) : undefined;
		// one of unknown outcome is not started again, either
		return !job || (!job.hasFailed && job.goneAt === Infinity);
	};
	for (const { executionId, key, before, after, begunAt, ...item } of items) {
		const { reuses, isPaid, jobId } = item;
		if (isPaid && reuses && before && before === after && isAlive(before))
			wrong.push(`${executionId} has paid for ${key}, and row ${before.id} has ${before.record}`);
		const given = isPaid || !jobId ? undefined : jobs.get(jobId)!;
		const isOver = given && (given.goneAt < begunAt || (given.hasFailed && given.endsAt < begunAt));
		const isOther = before === after && before && readStoredRecord(before)['jobId'] !== jobId;
		if (given && (isOver || isOther))
			wrong.push(
				`${executionId} was given ${jobId} for ${key}, and row ${before?.id} was the last`,
			);
		const isTwice = items.filter(
			(other) => jobId && other.executionId === executionId && other.jobId === jobId,
		);
		if (isTwice.length > 1) wrong.push(`${executionId} was given ${jobId} twice`);
		const isKept = rows.some((row) => row.uniqueKey === key && row.executionId === executionId);
		if (isPaid && jobId && !isKept && !isUnwritten && !dead.size)
			wrong.push(`${executionId} has paid for ${jobId}, and no row has it`);
	}
	for (const jobId of jobs.keys())
		if (delivered.filter((other) => other === jobId).length > 1)
			wrong.push(`${jobId} was delivered twice`);
	const row = rows.find(({ state }) => state === 'budget');
	const state = row && parseBudget(row.record);
	const inRow = [
		...Object.values(state?.spent ?? {}),
		...Object.values(state?.reservations ?? {}).map(({ most }) => most),
	].reduce((sum, amount) => sum + Number(amount), 0);
	const counted = COST * (jobs.size - free.size);
	if (jobs.size * COST > BUDGET + free.size * COST)
		wrong.push(`${jobs.size} jobs were started, ${free.size} of them free`);
	if (!dead.size && !isUnwritten && !unknown && inRow !== counted)
		wrong.push(`the row counts ${inRow}, not ${counted}`);
	return { wrong: [...faults, ...wrong], log: [...log, JSON.stringify(rows)] };
}
