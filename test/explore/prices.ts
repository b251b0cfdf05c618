import { type Accounts, createAccounts } from '../../src/core/accounts';
import type { Bound } from '../../src/core/reserve';
import { isUnstarted, ServiceError } from '../../src/core/errors';
import type { Http } from '../../src/core/http';
import type { LookUp, Lookup } from '../../src/core/lookup';
import { payOnce } from '../../src/core/startPaid';
import { choose, payInTurn } from '../../src/paid/choose';
import { payText } from '../../src/paid/payText';
import { judgeText, type TextCall } from '../../src/paid/call';
import { BudgetBook } from '../../src/spending/budgetBook';
import { parseBudget } from '../../src/spending/budgetState';
import { response } from '../unit/inMemoryHttp';
import { openBudget, settingsOf } from './budget';
import type { Played } from './explore';
import type { PriceForm } from './priceForms';
import { type Asked, createService, type Offers } from './priceService';
import { CALM, createWorld, type Process } from './world';

const MINUTE = 60_000;
/** For how long a process keeps a catalog, and from when on it reads one again that is not enough. */
const MAX_AGE = 5 * MINUTE;
const MIN_AGE = 10_000;

/** What happened at a service of a form. */
export async function play(seed: number, form: PriceForm): Promise<Played> {
	const isRough = seed % 4 === 0;
	const weather = isRough ? { ...CALM, crash: 0.01, lostAnswer: 0.05, late: 0.02 } : CALM;
	const world = createWorld(seed, weather);
	const { random, rows, say, at, log, faults, dead } = world;
	const upTo = (most: number) => 1 + Math.floor(random() * most);
	const service = createService(form, random);
	const { ownPrices, hostname } = service;
	const amount = Math.ceil(upTo(seed % 2 ? 50 : 10) * service.usual);
	const settings = settingsOf(amount, 'month');
	const isHeld = form.service === 'OpenRouter';
	const asked: Asked[] = [];
	const told = new Set<string>();
	const wrong: string[] = [];
	let ids = 0;

	const connect = (process: Process) => {
		let kept: { lookup: Lookup<never>; offers: Offers; readAt: number } | undefined;
		const readNow = async (read: (http: Http) => Promise<unknown>) => {
			const readAt = world.now();
			let offers = service.now();
			const send: Http['send'] = async ({ path }) => {
				await process.step(random() * 500);
				offers = service.now();
				return response(service.catalogAt(path));
			};
			const lookup = await read({ hostname, send }).then(
				(value) => ({ value: value as never }),
				(error: ServiceError) => ({ missing: error.message, error }),
			);
			return { lookup, offers, readAt };
		};
		const lookUpFor =
			(one: Asked): LookUp =>
			async (_name, read, insufficient) => {
				const age = kept ? world.now() - kept.readAt : Infinity;
				const isEnough = age < MIN_AGE || (age < MAX_AGE && kept?.lookup !== insufficient);
				if (!kept || !isEnough) kept = await readNow(read);
				one.offers = kept.offers;
				return kept.lookup;
			};
		return { process, book: new BudgetBook('b'), lookUpFor };
	};
	const processes = Array.from({ length: upTo(3) }, (_, index) =>
		connect(world.createProcess(`P${index}`)),
	);

	const ask = async (
		{ process, lookUpFor }: (typeof processes)[number],
		one: Asked,
		accounts: Accounts,
	) => {
		const { clock } = process.ledger;
		const addHint = (sentence: string) => say(one.name, sentence);
		const body = service.toBody();
		const chosen = await choose<TextCall>(
			{ lookUp: lookUpFor(one), addHint, ownPrices },
			{ models: ['asked'] },
			(candidate, isOfList) =>
				judgeText(
					{
						protocol: 'chat',
						caps: {},
						allowUnknownCost: false,
						inputs: [],
					},
					candidate,
					{ ...body, model: candidate.model },
					isOfList,
				),
		);
		if ('refusal' in chosen) throw chosen.refusal;
		// an item may wait until those before it have ended
		if (random() < 0.3) await process.step(random() * 4 * MINUTE);
		const http: Http = {
			hostname,
			send: async ({ body: sent = {} }) => {
				await process.step(random() * 500);
				const answer = service.answer(one, { ...sent });
				say(one.name, `CHARGES ${one.charged} for ${JSON.stringify(one.used)}`);
				await process.step(random() * 5000);
				if (answer instanceof ServiceError) throw answer;
				return response(answer);
			},
		};
		const openCall: Accounts['openCall'] = (...given) => {
			const reserve = (bound: Bound) => {
				one.bound = 'microUsd' in bound ? Number(bound.microUsd) : Infinity;
				return { settle: () => {}, release: () => {} };
			};
			const record = { reserve, setTokens: () => {}, setJob: () => {} };
			return { ...accounts.openCall(...given), record };
		};
		const paid = await payOnce(undefined, { account: process.name, clock }, async (startPaid) => {
			const given = await payInTurn(chosen, async (call) =>
				payText(call, {
					http,
					accounts: { ...accounts, openCall },
					startPaid,
					countInFlight: () => 1,
					stream: () => {},
					waitForOthers: async (othersEnd) => await othersEnd(),
				}),
			);
			return given.answer;
		});
		return { answer: paid.answer, notice: paid.notice };
	};

	const spend = async (use: (typeof processes)[number], run: number) => {
		const { process, book } = use;
		const executionId = `${process.name}.R${run}`;
		const addHint = (sentence: string) => {
			say(executionId, sentence);
			if (sentence.includes('could not be updated')) told.add(executionId);
		};
		const budget = openBudget({
			book,
			settings,
			executionId,
			clock: process.ledger.clock,
			addHint,
			open: async () => process.ledger,
			newId: () => `${executionId}.${++ids}`,
		});
		const accounts = createAccounts(undefined, budget);
		const call = async (number: number) => {
			const one: Asked = { name: `${executionId}.${number}`, charged: 0 };
			asked.push(one);
			try {
				const { answer, notice = '' } = await ask(use, one, accounts);
				one.counted = toMillionths(answer);
				one.isGuess = answer.maxCostIsGuess === true;
				if (service.isBelow(one.offers!) && !notice.includes('below that of the catalog'))
					wrong.push(`${one.name}: no notice of a line below the catalog`);
			} catch (cause) {
				if (!(cause instanceof ServiceError)) throw cause;
				say(one.name, `${cause.message} (${String(cause.details.reason ?? '')})`);
				if (cause.message === 'lost') told.add(executionId);
				const { partial = {}, computed = {} } = cause.details;
				one.counted = isUnstarted(cause) ? 0 : toMillionths({ ...computed, ...partial });
				const isDue = service.isKnown(one.offers!) ? /budget|^lost$/i : /price|catalog/;
				if (!one.used && !one.isRefused && !isDue.test(cause.message))
					wrong.push(`${one.name}: ${cause.message}`);
			}
		};
		for (let turn = 0; turn < 3; turn++)
			await Promise.all(Array.from({ length: upTo(3) }, (_, index) => call(turn * 3 + index)));
		await accounts.close();
	};

	const within = [5000, MINUTE, 15 * MINUTE][seed % 3]!;
	for (let run = 0; run < 4; run++)
		at(random() * within, () => {
			const use = processes[run % processes.length]!;
			if (!dead.has(use.process.name)) void spend(use, run);
		});
	for (let change = 0; change < 2; change++)
		if (random() < 0.5)
			at(random() * within, () => {
				service.changePrices();
				say('service', JSON.stringify(service.now()));
			});
	await world.run(50_000);

	const [row] = rows.filter(({ state }) => state === 'budget');
	const state = row && parseBudget(row.record);
	const inRow = Object.values(state?.spent ?? {}).reduce((sum, one) => sum + Number(one), 0);
	let charged = 0;
	let allowed = amount * 1e4;
	let counted = 0;
	for (const one of asked) {
		charged += one.charged;
		counted += one.counted ?? 0;
		if (!one.used || !one.charged) continue;
		if (!service.isKnown(one.offers!)) wrong.push(`${one.name} was sent without a price`);
		const { most, least } = service.judge(one);
		// OpenRouter's providers are held to the prices by which it was reckoned, whatever becomes of them
		const dearer = isHeld ? 0 : Math.max(0, one.charged - most);
		const excess = dearer + (one.beyond ?? 0);
		if (one.charged > (one.bound ?? 0) * 1e4 + excess)
			wrong.push(`${one.name} costs ${one.charged}, beyond ${one.bound} and ${excess}`);
		// where no catalog has prices, a line is as sure as its owner
		const isTold = one.isGuess !== false || one.isChanged || form.has.noPrices;
		if (excess && !isTold) wrong.push(`${one.name} costs ${excess} more, and is said to be sure`);
		allowed += Math.max(excess, one.charged - least);
		if (one.counted === undefined) continue;
		// nobody knows what an answer has that broke off
		const untold = (!one.isTold && !one.reported && one.beyond) || 0;
		if (one.counted * 1e4 < least - untold)
			wrong.push(`${one.name} counts ${one.counted}, less than ${least} of ${JSON.stringify(one)}`);
		if (one.isPlain && one.counted !== Math.ceil(one.charged / 1e4))
			wrong.push(`${one.name} counts ${one.counted}, not ${one.charged}`);
	}
	if (charged > allowed) wrong.push(`${charged} were charged, of ${allowed}`);
	if (!dead.size && !told.size && inRow !== counted)
		wrong.push(`the row counts ${inRow}, not ${counted}`);
	if (!dead.size && asked.some((one) => one.counted === undefined))
		wrong.push('a request did not end');
	return { wrong: [...faults, ...wrong], log: [...log, JSON.stringify(rows)] };
}

const toMillionths = ({ costUsd, reservedUsd }: { costUsd?: number; reservedUsd?: number }) =>
	Math.round((costUsd ?? reservedUsd ?? NaN) * 1e6);
