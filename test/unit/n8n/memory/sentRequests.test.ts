import {
	createRunExecutionData,
	type INodeExecutionData,
	type INodeParameters,
	type IRunExecutionData,
} from 'n8n-workflow';

import { truncatedAnswerError, ServiceError } from '../../../../src/core/errors';
import { createRedactor } from '../../../../src/n8n/redact';
import { createSentRequests, forgetSent } from '../../../../src/n8n/memory/sentRequests';
import { payOnce } from '../../../../src/core/startPaid';
import { failureOf } from '../../inMemoryHttp';
import { virtualClock } from '../../virtualClock';
import { executeContext, type Execution } from '../executeContext';

const KEY = 'secret-key-of-the-service';
const REQUEST = { segment: 'images', body: { prompt: 'a cat' } };
const unknown = new ServiceError('unreachable', 'It broke', {
	sent: true,
	outcome: 'unknown',
	advice: 'Check.',
	ids: { sessionId: 's' },
});

let data: IRunExecutionData;
let sent: number;
beforeEach(() => {
	data = createRunExecutionData();
	sent = 0;
});

const run = ({
	resendIfUnknown = false,
	scope = 'credential url start',
	...more
}: Execution & { resendIfUnknown?: boolean; scope?: string } = {}) => {
	const redact = createRedactor(KEY);
	const sentRequests = createSentRequests(executeContext({ data, ...more }), {
		scope,
		resendIfUnknown,
		redact,
	});
	return {
		...sentRequests,
		sendOnce: async (itemIndex: number, request: unknown, send: () => Promise<object>) => {
			const sender = { clock: virtualClock(), account: 'a' };
			const memory = sentRequests.recall(itemIndex, request);
			const reserve = async () => ({ settle: async () => {}, release: async () => {} });
			const sending = async () => ({ result: await send() });
			const result = await payOnce(
				memory,
				sender,
				async (startPaid) => await startPaid({ reserve, send: sending }),
			);
			return { ...result, durationMs: undefined, isRemembered: undefined };
		},
	};
};
const start = async () => ({ jobId: `job-${++sent}` });
const fail = (error: unknown) => async () => {
	sent++;
	throw error;
};

/** What n8n has stored of the execution, and reads again. */
const stored = () => (data = JSON.parse(JSON.stringify(data)) as IRunExecutionData);

it('a second run of the node gives the first result, and so does a retry of the stored execution', async () => {
	for (const again of [() => data, stored]) {
		expect(await run().sendOnce(0, REQUEST, start)).toEqual({ jobId: 'job-1' });
		again();
	}
	expect(await run().sendOnce(0, REQUEST, start)).toEqual({ jobId: 'job-1' });
	expect(sent).toBe(1);
});

it('each item has its own', async () => {
	const items: INodeExecutionData[] = [{ json: { a: 1 } }, { json: { a: 1 } }];
	const sentRequests = run({ items });
	// which of the two is sent first is nobody's to say
	const ids = await Promise.all(
		['first', 'second'].map(
			async (jobId, at) => await sentRequests.sendOnce(at, REQUEST, async () => ({ jobId })),
		),
	);
	expect(ids).toEqual([{ jobId: 'first' }, { jobId: 'second' }]);
});

const OTHER = { ...REQUEST, seed: 2 };
const other = { items: [{ json: { other: true } }] };
const tool = { type: 'test.modelRouterTool' };

it.each<[string, Parameters<typeof run>[0], unknown, number]>([
	['the same', {}, REQUEST, 1],
	['a request that an expression made anew, for the same item', {}, OTHER, 1],
	['the same request, for an item that came in another form', other, REQUEST, 1],
	['another request for another item', other, OTHER, 2],
	['another request by changed parameters', { parameters: { resource: 'media' } }, OTHER, 2],
	['another credential', { scope: 'other url start' }, REQUEST, 2],
	['another run of the node in a loop', { runIndex: 1 }, REQUEST, 2],
	['another call of an AI agent', tool, OTHER, 2],
	['the same call of an AI agent', tool, REQUEST, 1],
	['the same call of an AI agent in another run', { ...tool, runIndex: 1 }, REQUEST, 2],
])('%s', async (_name, again = {}, request, times) => {
	await run(again.type ? tool : {}).sendOnce(0, REQUEST, start);
	await run(again).sendOnce(0, request, start);
	expect(sent).toBe(times);
});

it('an unknown outcome is not sent again, and says so with all that was known', async () => {
	await failureOf(run().sendOnce(0, REQUEST, fail(unknown)));
	stored();
	const advice =
		'Check. It was not sent again. Once you have checked, "Resend If Outcome Is Unknown" in Request Settings sends it again.';
	for (let again = 0; again < 2; again++)
		expect(await failureOf(run().sendOnce(0, REQUEST, start))).toMatchObject({
			kind: 'unreachable',
			message: 'It broke',
			details: { outcome: 'unknown', ids: { sessionId: 's' }, advice },
		});
	expect(sent).toBe(1);
	for (let again = 0; again < 2; again++)
		expect(await run({ resendIfUnknown: true }).sendOnce(0, REQUEST, start)).toEqual({
			jobId: 'job-2',
		});
});

it.each<[string, unknown, number]>([
	['certainly not started', new ServiceError('refused', 'x', { status: 402 }), 2],
	['refused with 503', new ServiceError('refused', 'x', { status: 503 }), 1],
	['cut', truncatedAnswerError('why', { text: 'a' }), 1],
	['stopped', new ServiceError('cancelled', 'x'), 1],
	['an error that is not ours', new TypeError('x'), 1],
])('after %s', async (_name, error, times) => {
	await expect(run().sendOnce(0, REQUEST, fail(error))).rejects.toThrow((error as Error).message);
	await run()
		.sendOnce(0, REQUEST, start)
		.catch(() => undefined);
	expect(sent).toBe(times);
});

it('what was under way when the run ended is unknown', async () => {
	void run().sendOnce(0, REQUEST, () => new Promise(() => undefined));
	expect(await failureOf(run().sendOnce(0, REQUEST, start))).toMatchObject({
		kind: 'cancelled',
		message: 'An earlier run was interrupted while this request was in progress',
		details: { outcome: 'unknown', advice: expect.stringContaining('It was not sent again') },
	});
});

it('forgets the items of its own run only', async () => {
	await run().sendOnce(0, REQUEST, start);
	const second = run({ runIndex: 1 });
	await second.sendOnce(0, REQUEST, start);
	forgetSent(executeContext({ data, runIndex: 1 }));
	expect(await run({ runIndex: 1 }).sendOnce(0, REQUEST, start)).toEqual({ jobId: 'job-3' });
	expect(await run().sendOnce(0, REQUEST, start)).toEqual({ jobId: 'job-1' });
});

it('a key that the service echoes is not stored', async () => {
	const ledger = run({ items: [{ json: {} }, { json: {} }] });
	await ledger.sendOnce(0, REQUEST, async () => ({ echo: `key ${KEY}` }));
	const echoing = new ServiceError('refused', 'x', {
		status: 500,
		reason: KEY,
		partial: { text: KEY },
	});
	await expect(ledger.sendOnce(1, REQUEST, fail(echoing))).rejects.toThrow('x');
	expect(JSON.stringify(data)).toContain('***');
	expect(JSON.stringify(data)).not.toContain(KEY);
});

it('no call of a tool makes another one forgotten', async () => {
	const recall = (request: unknown, runIndex = 0) => run({ ...tool, runIndex }).recall(0, request);
	recall('one').recordFailure(unknown);
	recall('two').recordResult({ n: 2 });
	for (const runIndex of [0, 1])
		expect(() => recall('one', runIndex).earlierResult()).toThrow('It broke');
	expect(recall('two').earlierResult()).toEqual({ result: { n: 2 } });
	expect(recall('three').earlierResult()).toBeUndefined();
});

it.each<[string, INodeParameters, number]>([
	['another model', { model: 'v/b', prompt: '={{ $now }}' }, 1],
	['other limits', { spendingCapPerItem: 2, prompt: '={{ $now }}' }, 1],
	['other settings', { requestSettings: { resendIfUnknown: true }, prompt: '={{ $now }}' }, 1],
	['an option of what is paid', { options: { allowUnknownCost: true }, prompt: '={{ $now }}' }, 1],
	['other labels', { options: { spendingLabel: 'Ada', maxTokens: 9 }, prompt: '={{ $now }}' }, 1],
	['another prompt', { prompt: 'Another one, {{ $now }}' }, 2],
])('%s of a node whose request differs each time: %i', async (_what, parameters, times) => {
	const before = { model: 'v/a', options: {}, prompt: '={{ $now }}' };
	await run({ parameters: before }).sendOnce(0, REQUEST, start);
	await run({ parameters: { options: {}, ...parameters } }).sendOnce(0, OTHER, start);
	expect(sent).toBe(times);
});
