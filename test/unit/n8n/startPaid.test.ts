import { invalidInputError, ServiceError } from '../../../src/core/errors';
import {
	countInFlight,
	sendReserved,
	startPaid,
	timed,
	type PaidStart,
} from '../../../src/n8n/startPaid';
import fc from '../../support/fastCheck';
import { failureOf } from '../inMemoryHttp';
import { virtualClock } from '../virtualClock';

/** A start whose every step is written down, in the order in which it happens. @param hasKey Undefined without a ledger. */
function start({ hasKey, ...changes }: Partial<PaidStart<string>> & { hasKey?: boolean }) {
	const steps: string[] = [];
	const step = (name: string) => void steps.push(name);
	const claim = async () => {
		step('claim');
		return {
			renew: async () => (step('renew'), 0),
			recordStarted: async (result: string) => (step(`ledger: ${result}`), `${result}, row 1`),
			recordFailed: async (cause: unknown) => (step('ledger: failed'), cause),
		};
	};
	const memory = {
		earlierResult: () => undefined,
		recordSending: () => step('memory: sending'),
		recordResult: (result: unknown) => step(`memory: ${String(result)}`),
		recordFailure: () => step('memory: failed'),
		forget: () => undefined,
	};
	const started = startPaid<string>(
		{
			request: {},
			...(hasKey !== undefined && { ledger: { claim, hasKey } }),
			async reserve() {
				step('reserve');
				return {
					settle: async (cost) => step(`settle ${String(cost)}`),
					release: async () => step('release'),
				};
			},
			costOf: (ended) => (ended === 'job' ? 7 : undefined),
			async send({ beforeAttempt }) {
				await beforeAttempt?.();
				step(`send, ${countInFlight('account')} in flight`);
				return 'job';
			},
			...changes,
		},
		{ sentRequests: { recall: () => memory }, itemIndex: 0, account: 'account' },
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
	expect(await started).toBe(result);
	expect([steps, countInFlight('account')]).toEqual([expected, 0]);
});

const AWAY = new ServiceError('unreachable', 'n8n is away', { outcome: 'not_started' });
const CAP = invalidInputError('The cap is reached');
const REFUSED = new ServiceError('refused', 'no', { status: 400 });
const UNCLEAR = new ServiceError('refused', 'no', { status: 500 });
const fails = (cause: ServiceError) => async () => await Promise.reject(cause);

const costOf = (ended: unknown) => (ended === UNCLEAR ? 3 : undefined);

it.each<[string, ServiceError, Parameters<typeof start>[0], ...string[]]>([
	['a cap refuses it', CAP, { hasKey: false, reserve: fails(CAP) }, 'claim', 'ledger: failed'],
	['it was not carried out', REFUSED, { send: fails(REFUSED) }, 'reserve', 'release'],
	['it may have been', UNCLEAR, { send: fails(UNCLEAR), costOf }, 'reserve', 'settle 3'],
	['its claim fails, before the cap', AWAY, { ledger: { hasKey: false, claim: fails(AWAY) } }],
])('a start fails when %s', async (_why, failure, given, ...expected) => {
	const { started, steps } = start(given);
	expect(await failureOf(started)).toBe(failure);
	expect(steps).toEqual([NOTED, ...expected, 'memory: failed']);
});

it('an earlier start with the key gives its job, and nothing is sent', async () => {
	const claim = async () => ({ earlier: 'job of before' });
	const { started, steps } = start({ ledger: { hasKey: true, claim } });
	expect([await started, steps]).toEqual(['job of before', []]);
});

it('an answer has its duration, and so has what arrived of one that broke off', async () => {
	const clock = virtualClock();
	const fail = (details: object) => async () => {
		await clock.sleep(1500);
		throw new ServiceError('truncated', 'It broke off', details);
	};
	const text = 'Tues';
	const answer = timed(clock, async () => (await clock.sleep(2000), { text }));
	expect(await answer).toEqual({ text, durationMs: 2000 });
	const broken = await failureOf(timed(clock, fail({ partial: { text } })));
	expect(broken).toMatchObject({ details: { partial: { text, durationMs: 1500 } } });
	const nothing = await failureOf(timed(clock, fail({})));
	expect(nothing).not.toHaveProperty('details.partial');
});

const inFlight = async <Result>(account: string, send: () => Promise<Result>) =>
	await sendReserved({ account, reservation: undefined, costOf: undefined }, send);

it('one that fails at once does not count as in flight afterwards', async () => {
	const send = () => {
		throw new TypeError('mine');
	};
	await expect(inFlight('c', send)).rejects.toThrow(new TypeError('mine'));
	expect(countInFlight('c')).toBe(0);
});

it('counts each account by itself, in any order of beginnings and ends', async () => {
	const step = fc.record({
		...{ account: fc.constantFrom('x', 'y'), ends: fc.nat(), fails: fc.boolean() },
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
				const { promise, resolve, reject } = Promise.withResolvers<string>();
				const done = inFlight(account, async () => await promise).catch(() => undefined);
				open.push({ account, done, end: (fail) => (fail ? reject(new Error()) : resolve('a')) });
				expectCounts();
				if (ends % 2) await end(ends % open.length, fails);
				expectCounts();
			}
			while (open.length) await end(0, false);
			expectCounts();
		}),
	);
});
