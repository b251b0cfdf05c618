import { startService, type Fault, type Service } from '../service/service';
import { paying, secretsOf, secretsOfAnother } from './rig/calls';
import { run, type Outcome } from './rig/run';

// what becomes of a request that may cost, under every fault of the outcome table
let service: Service;
beforeAll(async () => (service = await startService()));
beforeEach(() => {
	service.reset();
	// what is waited for is not the point here
	service.forms.jobSteps = 0;
});
afterAll(() => service.stop());

const retry = { retryOnFail: true, maxTries: 3, waitBetweenTries: 1 };

/** What happens on the way; how often the service gets the request; what the node says of it. */
const table: Array<
	[
		name: string,
		fault: Fault | Fault[],
		received: number,
		outcome: 'unknown' | 'not_started' | undefined,
	]
> = [
	['reset before the request was read', { type: 'reset_unread' }, 1, 'unknown'],
	['reset after the request was read', { type: 'reset_peer', effect: true }, 1, 'unknown'],
	['the connection ends without an answer', { type: 'down', effect: true }, 1, 'unknown'],
	['malformed HTTP', { type: 'malformed_http', kind: 'garbage', effect: true }, 1, 'unknown'],
	['500', { type: 'status', status: 500 }, 1, 'unknown'],
	[
		'503 with Retry-After',
		{ type: 'status', status: 503, headers: { 'retry-after': '1' } },
		1,
		'unknown',
	],
	['408', { type: 'status', status: 408 }, 1, 'unknown'],
	['409', { type: 'status', status: 409 }, 1, 'unknown'],
	['a login page', [{ type: 'login_page', effect: true }], 1, 'unknown'],
	['401', { type: 'status', status: 401 }, 3, 'not_started'],
	['403', { type: 'status', status: 403 }, 3, 'not_started'],
	['422', { type: 'status', status: 422 }, 3, 'not_started'],
	[
		'a redirect',
		{ type: 'redirect', status: 307, to: 'http://127.0.0.1:1/stolen' },
		3,
		'not_started',
	],
];

describe.each(paying)('%s', (name, call) => {
	const execute = (
		settings: object = retry,
		texts = ['item-one', 'item-two', 'item-three'],
		secrets = secretsOf(service),
	): Promise<Outcome> =>
		run({
			...call('={{ $json.text }}'),
			items: texts.map((text) => ({ text })),
			secrets,
			settings,
		});
	const posts = (text: string) => service.received(text);

	it.each(table)(
		'%s: never sent twice where it may have been received',
		async (_fault, fault, received, outcome) => {
			service.fault({ match: { method: 'POST', bodyIncludes: 'item-two' }, do: fault });
			const { error } = await execute();
			expect(error?.context?.['metadata'] ?? {}).toMatchObject({ outcome });
			expect(posts('item-two')).toBe(received);
			// items run beside one another: whether the others had begun when this one ended the node is nobody's promise
			expect(posts('item-one')).toBeLessThanOrEqual(1);
			expect(posts('item-three')).toBeLessThanOrEqual(1);
		},
	);

	it.each(table.filter(([, , , outcome]) => outcome === 'not_started'))(
		'%s once: a later try sends what was not sent, and nothing else',
		async (_fault, fault) => {
			service.fault({ match: { method: 'POST', bodyIncludes: 'item-two' }, times: 1, do: fault });
			const { error, items } = await execute();
			expect(error).toBeUndefined();
			expect(items).toHaveLength(3);
			expect([posts('item-one'), posts('item-two'), posts('item-three')]).toEqual([1, 2, 1]);
		},
	);

	it('429 with Retry-After is waited for, and sent again', async () => {
		service.fault({
			match: { method: 'POST', bodyIncludes: 'item-two' },
			times: 1,
			do: { type: 'too_many_requests', retryAfter: 0 },
		});
		const { error, items } = await execute({});
		expect(error).toBeUndefined();
		expect(items).toHaveLength(3);
		expect([posts('item-one'), posts('item-two'), posts('item-three')]).toEqual([1, 2, 1]);
	});

	it('429 that asks for too long a wait fails with the time', async () => {
		service.fault({
			match: { method: 'POST' },
			do: { type: 'too_many_requests', retryAfter: 3600 },
		});
		const { error } = await execute({}, ['only'], secretsOfAnother(service));
		expect(error).toMatchObject({
			httpCode: '429',
			description: expect.stringContaining('3600 s'),
		});
		expect(posts('only')).toBe(1);
	});

	it('a key that is refused is tried once', async () => {
		const secrets = secretsOf(service);
		const wrong = Object.fromEntries(
			Object.entries(secrets).map(([type, data]) => [type, { ...data, apiKey: 'wrong-key-123' }]),
		);
		const { error } = await run({ ...call('x'), secrets: wrong });
		expect(error).toMatchObject({ httpCode: '401', message: expect.stringContaining('API key') });
		// the catalog, which has the prices, refuses it before
		expect(posts('x')).toBe(/^router: (chat|response)/.test(name) ? 0 : 1);
	});

	it('gives earlier results to Retry On Fail although an expression gives something new each time', async () => {
		service.fault({
			match: { method: 'POST', bodyIncludes: 'bad' },
			times: 1,
			do: { type: 'status', status: 403 },
		});
		const { items, error } = await run({
			...call('={{ $json.text + " " + Math.random() }}'),
			items: [{ text: 'good' }, { text: 'bad' }],
			secrets: secretsOf(service),
			settings: retry,
		});
		expect(error).toBeUndefined();
		expect(items).toHaveLength(2);
		expect([posts('good'), posts('bad')]).toEqual([1, 2]);
	});

	it('leaves nothing behind in the execution once all items have succeeded', async () => {
		const { run: done } = await execute({});
		expect(JSON.stringify(done.data.executionData?.contextData ?? {})).not.toContain('item-one');
	});

	it('one bad item does not cost the others', async () => {
		service.fault({
			match: { method: 'POST', bodyIncludes: 'item-two' },
			do: { type: 'status', status: 500 },
		});
		const { items, failed, error } = await execute({ ...retry, onError: 'continueErrorOutput' });
		expect(error).toBeUndefined();
		expect(items.map(({ pairedItem }) => pairedItem)).toEqual([{ item: 0 }, { item: 2 }]);
		expect(failed).toMatchObject([
			{
				json: {
					text: 'item-two',
					error: expect.any(String),
					details: { outcome: 'unknown', status: 500 },
				},
				pairedItem: { item: 1 },
			},
		]);
		expect([posts('item-one'), posts('item-two'), posts('item-three')]).toEqual([1, 1, 1]);
	});

	it('a mistake in one item costs nothing for any', async () => {
		const { error } = await execute({}, ['item-one', '', 'item-three']);
		const { node, parameters } = call('');
		if (node === 'modelRouter' && parameters['resource'] === 'job') return; // a job needs no prompt
		if (parameters['operation'] === 'askGuided') return; // nor does this one need a token
		expect(error).toMatchObject({
			message: expect.stringContaining('is empty'),
			context: { itemIndex: 1 },
		});
		expect(service.requests).toEqual([]);
	});

	it('sends nothing when there are no items', async () => {
		const { items } = await execute({}, []);
		expect(items).toEqual([]);
		expect(service.requests).toEqual([]);
	});
});
