import {
	createRunExecutionData,
	type INodeExecutionData,
	type IRunExecutionData,
} from 'n8n-workflow';

import { truncatedAnswerError, ServiceError } from '../../../src/core/errors';
import { createRedactor } from '../../../src/n8n/redact';
import { createSentRequests } from '../../../src/n8n/sentRequests';
import { startPaid } from '../../../src/n8n/startPaid';
import { failureOf } from '../inMemoryHttp';
import { virtualClock } from '../virtualClock';
import { executeContext, type Execution } from './executeContext';

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
			const recall = (sent: unknown) => sentRequests.recall(itemIndex, sent);
			const clock = virtualClock();
			const result = await startPaid({ request, send }, { recall, clock, account: 'a' });
			return { ...result, durationMs: undefined };
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
])('%s', async (_name, again, request, times) => {
	await run().sendOnce(0, REQUEST, start);
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
			...{ kind: 'unreachable', message: 'It broke' },
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
	second.forget();
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

it('one attempt at a request keeps no other request of a tool from being made', async () => {
	const recall = (request: unknown, attempt: string) =>
		run({ type: 'test.modelRouterTool' }).recall(0, request, attempt);
	recall('one', 'v/a').recordFailure(unknown);
	expect(() => recall('one', 'v/b').earlierResult()).toThrow('It broke');
	expect(recall('two', 'v/b').earlierResult()).toBeUndefined();
});

it('an attempt of a tool that was answered badly keeps no other from being made', async () => {
	const recall = (attempt: string, runIndex: number) =>
		run({ type: 'test.modelRouterTool', runIndex }).recall(0, REQUEST, attempt);
	recall('v/a', 0).recordFailure(
		new ServiceError('truncated', 'It is empty', { outcome: 'started' }),
	);
	for (const runIndex of [0, 1]) {
		expect(() => recall('v/a', runIndex).earlierResult()).toThrow('It is empty');
		expect(recall('v/b', runIndex).earlierResult()).toBeUndefined();
	}
});

it('remembers the attempts at a request in their order', async () => {
	const { recall, findAttempts } = run();
	recall(0, REQUEST, 'v/b').recordResult({ n: 1 });
	recall(0, REQUEST, 'v/a').recordFailure(unknown);
	recall(1, REQUEST, 'v/c').recordResult({ n: 2 });
	expect(run().findAttempts(0, REQUEST)).toEqual(['v/b', 'v/a']);
	expect(findAttempts(2, REQUEST)).toEqual([]);
	expect(() => recall(0, REQUEST).earlierResult()).toThrow('It broke');
});
