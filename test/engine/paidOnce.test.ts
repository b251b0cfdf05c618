import type { INodeParameters } from 'n8n-workflow';

import type { Fault } from '../service/service';
import {
	agent,
	assistant,
	CARRY_ON,
	type Paying,
	paying,
	RETRIED,
	secretsOf,
	secretsOfAnother,
} from './rig/calls';
import { run, type Outcome } from './rig/run';
import { serviceForTests } from './rig/service';

// What becomes of a request that may cost, under every fault of the outcome table. All operations send through one `startPaid`:
// one of them meets all faults, the others one of each outcome. What is waited for is not the point here
const service = serviceForTests({ jobSteps: 0 });
const WITH_ALL_FAULTS = 'router: start';

const status = (code: number, headers = {}): Fault => ({ type: 'status', status: code, headers });
const elsewhere: Fault = { type: 'redirect', status: 307, to: 'http://127.0.0.1:1/stolen' };

const UNKNOWN: Array<[string, Fault]> = [
	['reset after the request was read', { type: 'reset_peer', effect: true }],
	['reset before the request was read', { type: 'reset_unread' }],
	['the connection ends without an answer', { type: 'down', effect: true }],
	['malformed HTTP', { type: 'malformed_http', kind: 'garbage', effect: true }],
	['500', status(500)],
	['503 with Retry-After', status(503, { 'retry-after': '1' })],
	['408', status(408)],
	['409', status(409)],
	['a login page', { type: 'login_page', effect: true }],
];
const NOT_STARTED: Array<[string, Fault]> = [
	['403', status(403)],
	['401', status(401)],
	['422', status(422)],
	['a redirect', elsewhere],
];

describe.each(paying)('%s', (name, call) => {
	const execute = (
		settings: object = RETRIED,
		texts = ['item-one', 'item-two', 'item-three'],
		secrets = secretsOf(service),
	): Promise<Outcome> => {
		const items = texts.map((text) => ({ text }));
		return run({ ...call('={{ $json.text }}'), items, secrets, settings });
	};
	const failTwo = (fault: Fault, times = Infinity) =>
		service.fault({ match: { method: 'POST', bodyIncludes: 'item-two' }, times, do: fault });
	const sent = () => ['item-one', 'item-two', 'item-three'].map(service.received);
	const of = (faults: Array<[string, Fault]>) =>
		name === WITH_ALL_FAULTS ? faults : faults.slice(0, 1);

	it.each([
		...of(UNKNOWN).map((row) => [...row, 'unknown', 1] as const),
		...of(NOT_STARTED).map((row) => [...row, 'not_started', 3] as const),
	])('%s: sent again only if it was not received', async (_what, fault, outcome, times) => {
		failTwo(fault);
		const { error } = await execute();
		expect(error?.context?.['metadata']).toMatchObject({ outcome });
		const [one, two, three] = sent();
		expect(two).toBe(times);
		// items run beside one another: whether the others had begun when this one ended the node is nobody's promise
		expect(Math.max(one!, three!)).toBeLessThanOrEqual(1);
	});

	it.each(of(NOT_STARTED))('%s once: a later try sends what was not sent', async (_what, fault) => {
		failTwo(fault, 1);
		const { error, items } = await execute();
		expect([error, items.length]).toEqual([undefined, 3]);
		expect(sent()).toEqual([1, 2, 1]);
	});

	it('gives earlier results to Retry On Fail although an expression gives something new each time', async () => {
		failTwo(status(403), 1);
		const { items, error } = await service.run(call('={{ $json.text + " " + Math.random() }}'), {
			items: [{ text: 'item-one' }, { text: 'item-two' }],
			settings: RETRIED,
		});
		expect([error, items.length]).toEqual([undefined, 2]);
		// of a job that was started before, it is not known how long it took
		const measured = { 'router: start': 0, 'router: generate': 1 }[name] ?? 2;
		expect(items.filter(({ json }) => 'durationMs' in json)).toHaveLength(measured);
		expect(sent()).toEqual([1, 2, 0]);
	});

	it('one bad item does not cost the others', async () => {
		failTwo(status(500));
		const { items, failed, error } = await execute({ ...RETRIED, onError: 'continueErrorOutput' });
		expect(error).toBeUndefined();
		expect(items.map(({ pairedItem }) => pairedItem)).toEqual([{ item: 0 }, { item: 2 }]);
		const details = { outcome: 'unknown', status: 500 };
		expect(failed).toMatchObject([
			{ json: { text: 'item-two', error: expect.any(String), details }, pairedItem: { item: 1 } },
		]);
		expect(sent()).toEqual([1, 1, 1]);
	});

	it('a mistake in one item costs nothing for any', async () => {
		const { error } = await execute({}, ['item-one', '', 'item-three']);
		expect(error).toMatchObject({
			message: expect.stringContaining('is empty'),
			context: { itemIndex: 1 },
		});
		expect(service.requests).toEqual([]);
	});

	it('sends nothing when there are no items', async () => {
		expect((await execute({}, [])).items).toEqual([]);
		expect(service.requests).toEqual([]);
	});

	if (!['agent: send', 'assistant: ask', 'router: chat', WITH_ALL_FAULTS].includes(name)) return;

	it('429 with Retry-After is waited for, and sent again', async () => {
		failTwo({ type: 'too_many_requests', retryAfter: 0 }, 1);
		const { error, items, run: done } = await execute({});
		expect([error, items.length]).toEqual([undefined, 3]);
		expect(sent()).toEqual([1, 2, 1]);
		// once all items have succeeded, nothing is left behind in the execution
		expect(JSON.stringify(done.data.executionData?.contextData ?? {})).not.toContain('item-one');
	});

	it('429 that asks for too long a wait fails with the time', async () => {
		service.fault({
			match: { method: 'POST' },
			do: { type: 'too_many_requests', retryAfter: 3600 },
		});
		const { error } = await execute({}, ['only'], secretsOfAnother(service));
		const description = expect.stringContaining('3600 s');
		expect(error).toMatchObject({ httpCode: '429', description });
		expect(service.received('only')).toBe(1);
	});
});

it.each<[string, (more?: INodeParameters) => Paying, INodeParameters]>([
	[
		'an agent',
		(more) => agent({ message: '={{ $json.text }}', ...more }),
		{ options: { includeRawEvents: true } },
	],
	[
		'Crypto Q&A',
		(more) => assistant('ask', { question: '={{ $json.text }}', ...more }),
		{ streamAnswer: true, options: { includeRawEvents: true } },
	],
])(
	'an answer of %s is not paid for again when another option is chosen before the retry',
	async (_of, call, changed) => {
		const given = {
			secrets: secretsOf(service),
			items: [{ text: 'item-one' }, { text: 'item-two' }],
			settings: CARRY_ON,
		};
		service.fault({
			match: { method: 'POST', bodyIncludes: 'item-two' },
			times: 1,
			do: status(403),
		});
		const serially = { requestSettings: { concurrency: 1 } };
		const first = await run({ ...call(serially), ...given, settings: {} });
		expect(first.error).toBeDefined();
		const again = await run({
			...call({ ...serially, ...changed }),
			...given,
			retry: first.run.data,
		});
		expect(again.items).toMatchObject([
			{ json: { output: expect.stringContaining('item-one') } },
			{ json: { output: expect.stringContaining('item-two') } },
		]);
		expect(['item-one', 'item-two'].map(service.received)).toEqual([1, 2]);
	},
);
