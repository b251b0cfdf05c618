import { invalidInputError, ServiceError } from '../../../src/core/errors';
import { countInFlight, startPaid, type PaidStart } from '../../../src/n8n/startPaid';
import { failureOf } from '../inMemoryHttp';

/** A start whose every step is written down, in the order in which it happens. */
function start({
	hasKey,
	...changes
}: Partial<PaidStart<string>> & {
	/** Undefined for a start without a ledger. */
	hasKey?: boolean;
}) {
	const steps: string[] = [];
	const step = (name: string) => void steps.push(name);
	const ledger = {
		async claim() {
			step('claim');
			return {
				async renew() {
					step('renew');
					return 0;
				},
				async recordStarted(result: string) {
					step(`ledger: ${result}`);
					return `${result}, row 1`;
				},
				async recordFailed(cause: unknown) {
					step('ledger: failed');
					return cause;
				},
			};
		},
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
			...(hasKey !== undefined && { ledger: { ...ledger, hasKey } }),
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

it.each<[string, boolean | undefined, string[]]>([
	[
		'without a ledger',
		undefined,
		['memory: sending', 'reserve', 'send, 1 in flight', 'settle 7', 'memory: job'],
	],
	[
		'in the ledger, without a key',
		false,
		[
			'memory: sending',
			'claim',
			'reserve',
			'renew',
			'send, 1 in flight',
			'settle 7',
			'ledger: job',
			'memory: job, row 1',
		],
	],
	[
		'with a key, of which the ledger knows more than the execution',
		true,
		['claim', 'reserve', 'renew', 'send, 1 in flight', 'settle 7', 'ledger: job'],
	],
])('the layers of a start %s', async (_name, hasKey, expected) => {
	const { started, steps } = start(hasKey === undefined ? {} : { hasKey });
	expect(await started).toBe(hasKey === undefined ? 'job' : 'job, row 1');
	expect(steps).toEqual(expected);
	expect(countInFlight('account')).toBe(0);
});

it('what a cap refuses is not sent, and ledger and memory learn it', async () => {
	const reserve = async () => await Promise.reject(invalidInputError('The cap is reached'));
	const { started, steps } = start({ hasKey: false, reserve });
	expect((await failureOf(started)).message).toBe('The cap is reached');
	expect(steps).toEqual(['memory: sending', 'claim', 'ledger: failed', 'memory: failed']);
});

it.each<[string, ServiceError, string]>([
	['not carried out', new ServiceError('refused', 'no', { status: 400 }), 'release'],
	['may have been carried out', new ServiceError('refused', 'no', { status: 500 }), 'settle 3'],
])('a start that was %s ends its reservation: %s', async (_what, failure, expected) => {
	const { started, steps } = start({
		send: async () => await Promise.reject(failure),
		costOf: (ended) => (ended === failure ? 3 : undefined),
	});
	expect(await failureOf(started)).toBe(failure);
	expect(steps).toEqual(['memory: sending', 'reserve', expected, 'memory: failed']);
});

it('a claim that fails ends the start before the cap', async () => {
	const failure = new ServiceError('unreachable', 'n8n is away', { outcome: 'not_started' });
	const { started, steps } = start({
		ledger: { hasKey: false, claim: async () => await Promise.reject(failure) },
	});
	expect(await failureOf(started)).toBe(failure);
	expect(steps).toEqual(['memory: sending', 'memory: failed']);
});

it('an earlier start with the key gives its job, and nothing is sent', async () => {
	const { started, steps } = start({
		ledger: { hasKey: true, claim: async () => ({ earlier: 'job of before' }) },
	});
	expect(await started).toBe('job of before');
	expect(steps).toEqual([]);
});
