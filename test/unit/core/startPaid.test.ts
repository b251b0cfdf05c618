import { invalidInputError, ServiceError } from '../../../src/core/errors';
import { countInFlight, payOnce, type PaidStart } from '../../../src/core/startPaid';
import fc from '../../support/fastCheck';
import { failureOf } from '../inMemoryHttp';
import { virtualClock } from '../virtualClock';

interface Job {
	id: string;
}

/** A start whose every step is written down, in the order in which it happens. @param hasKey Undefined without a ledger. */
function start({ hasKey, ...changes }: Partial<PaidStart<Job>> & { hasKey?: boolean }) {
	const steps: string[] = [];
	const step = (name: string) => void steps.push(name);
	const claim = async () => {
		step('claim');
		return {
			renew: async () => (step('renew'), 0),
			recordStarted: async ({ id }: Job) => (step(`ledger: ${id}`), { id: `${id}, row 1` }),
			recordFailed: async (cause: unknown) => (step('ledger: failed'), cause),
		};
	};
	const memory = {
		isSettled: () => false,
		earlierResult: () => undefined,
		recordSending: () => step('memory: sending'),
		recordResult: (result: unknown) => step(`memory: ${(result as Job).id}`),
		recordFailure: () => step('memory: failed'),
	};
	const paid: PaidStart<Job> = {
		...(hasKey !== undefined && { ledger: { claim } }),
		async reserve() {
			step('reserve');
			return {
				settle: async (cost) => step(`settle ${String(cost)}`),
				release: async () => step('release'),
			};
		},
		async send(_held, { beforeAttempt }) {
			await beforeAttempt();
			step(`send, ${countInFlight('account')} in flight`);
			return { result: { id: 'job' }, cost: 7 };
		},
		...changes,
	};
	const started = payOnce<Job>(
		hasKey ? undefined : memory,
		{ clock: virtualClock(), account: 'account' },
		async (startPaid) => await startPaid(paid),
	);
	return { started, steps };
}

const SENT = ['send, 1 in flight', 'settle 7'];
const NOTED = 'memory: sending';

const BOTH = [NOTED, 'claim', 'reserve', 'renew', ...SENT, 'ledger: job', 'memory: job, row 1'];

it.each<[string, { hasKey?: boolean }, string[], string]>([
	['without a ledger', {}, [NOTED, 'reserve', ...SENT, 'memory: job'], 'job'],
	['in the ledger, without a key', { hasKey: false }, BOTH, 'job, row 1'],
	// the ledger knows more than the execution
	['with a key', { hasKey: true }, BOTH.slice(1, -1), 'job, row 1'],
])('the layers of a start %s', async (_name, given, expected, result) => {
	const { started, steps } = start(given);
	expect((await started).id).toBe(result);
	expect([steps, countInFlight('account')]).toEqual([expected, 0]);
});

const AWAY = new ServiceError('unreachable', 'n8n is away', { outcome: 'not_started' });
const CAP = invalidInputError('The cap is reached');
const REFUSED = new ServiceError('refused', 'no', { status: 400 });
const UNCLEAR = new ServiceError('refused', 'no', { status: 500 });
const fails = (cause: ServiceError) => async () => await Promise.reject(cause);

const charged = async () => ({ failure: UNCLEAR, cost: 3 });

it.each([
	['a cap refuses it', CAP, { hasKey: false, reserve: fails(CAP) }, 'claim', 'ledger: failed'],
	['it was not carried out', REFUSED, { send: fails(REFUSED) }, 'reserve', 'release'],
	['it may have been', UNCLEAR, { send: charged }, 'reserve', 'settle 3'],
	['its claim fails, before the cap', AWAY, { ledger: { claim: fails(AWAY) } }],
])('a start fails when %s', async (_why, failure, given, ...expected) => {
	const { started, steps } = start(given);
	expect(await failureOf(started)).toBe(failure);
	expect(steps).toEqual([NOTED, ...expected, 'memory: failed']);
});

it('an earlier start with the key gives its job, and nothing is sent', async () => {
	const claim = async () => ({ earlier: { id: 'job of before' } });
	const { started, steps } = start({ hasKey: true, ledger: { claim } });
	expect([await started, steps]).toEqual([{ id: 'job of before' }, []]);
});

/** Sends what nothing remembers. */
const inFlight = async <Result extends object>(
	account: string,
	send: () => Promise<Result>,
	clock = virtualClock(),
) => {
	const reserve = async () => ({ settle: async () => {}, release: async () => {} });
	const sending = async () => ({ result: await send() });
	return await payOnce(
		undefined,
		{ account, clock },
		async (startPaid) => await startPaid({ reserve, send: sending }),
	);
};

it('an answer has its duration, and so has what arrived of one that broke off', async () => {
	const clock = virtualClock();
	const fail = (details: object) => async () => {
		await clock.sleep(1500);
		throw new ServiceError('truncated', 'It broke off', details);
	};
	const text = 'Tues';
	const answer = inFlight('a', async () => (await clock.sleep(2000), { text }), clock);
	expect(await answer).toEqual({ text, durationMs: 2000 });
	const broken = await failureOf(inFlight('a', fail({ partial: { text } }), clock));
	expect(broken).toMatchObject({ details: { partial: { text, durationMs: 1500 } } });
	const nothing = await failureOf(inFlight('a', fail({}), clock));
	expect(nothing).not.toHaveProperty('details.partial');
});

it('one that fails at once does not count as in flight afterwards', async () => {
	const send = () => {
		throw new TypeError('mine');
	};
	await expect(inFlight('c', send)).rejects.toThrow(new TypeError('mine'));
	expect(countInFlight('c')).toBe(0);
});

it('counts each account by itself, in any order of beginnings and ends', async () => {
	const step = fc.record({
		account: fc.constantFrom('x', 'y'),
		ends: fc.nat(),
		fails: fc.boolean(),
	});
	await fc.assert(
		fc.asyncProperty(fc.array(step, { maxLength: 20 }), async (steps) => {
			const open: Array<{ account: string; end(fails: boolean): void; done: Promise<unknown> }> =
				[];
			const expectCounts = () =>
				expect(['x', 'y'].map(countInFlight)).toEqual(
					['x', 'y'].map((name) => open.filter(({ account }) => account === name).length),
				);
			const end = async (index: number, fails: boolean) => {
				const [one] = open.splice(index, 1);
				one?.end(fails);
				await one?.done;
			};
			for (const { account, ends, fails } of steps) {
				const { promise, resolve, reject } = Promise.withResolvers<object>();
				const begun = Promise.withResolvers<void>();
				const send = async () => (begun.resolve(), await promise);
				const done = inFlight(account, send).catch(() => undefined);
				await begun.promise;
				open.push({ account, done, end: (fail) => (fail ? reject(new Error()) : resolve({})) });
				expectCounts();
				if (ends % 2) await end(ends % open.length, fails);
				expectCounts();
			}
			while (open.length) await end(0, false);
			expectCounts();
		}),
	);
});
