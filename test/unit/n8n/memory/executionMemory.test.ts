import { createRunExecutionData, type IExecuteFunctions } from 'n8n-workflow';

import { ServiceError } from '../../../../src/core/errors';
import { createExecutionState, createFlowState } from '../../../../src/n8n/memory/executionMemory';
import { createRedactor } from '../../../../src/n8n/redact';
import { failureOf } from '../../inMemoryHttp';
import { executeContext } from '../executeContext';

const ECHOED = 'key-4f0c9d217ab3';
const of = (n8n: object) => n8n as unknown as IExecuteFunctions;

describe('the state of an execution', () => {
	/** A place that is never taken by another item. */
	const place = { releaseDuring: async <Result>(wait: () => Promise<Result>) => await wait() };

	it('is kept for all runs of a node in one execution, and stored with it', () => {
		const data = createRunExecutionData();
		const count = (runIndex: number, name = 'sum', over = data) =>
			createExecutionState(executeContext({ data: over, runIndex })).getState(name, () => ({
				count: 0,
			}));
		count(0).count++;
		expect([count(1), count(1, 'other')]).toEqual([{ count: 1 }, { count: 0 }]);
		expect(JSON.stringify(data.executionData?.contextData)).toContain('"sum":{"count":1}');
		expect(count(0, 'sum', createRunExecutionData())).toEqual({ count: 0 });
	});

	it('gives one turn after the other, in the order of asking, in all runs', async () => {
		const data = createRunExecutionData();
		const runs = [0, 1].map((runIndex) => createExecutionState(executeContext({ data, runIndex })));
		const seen: string[] = [];
		const names = ['a', 'b', 'c', 'd'];
		const results = names.map((name, index) =>
			runs[index % 2]?.runSerially(place, async () => {
				seen.push(`begin ${name}`);
				await new Promise((resolve) => setTimeout(resolve, 5));
				seen.push(`end ${name}`);
				return name;
			}),
		);
		expect(await Promise.all(results)).toEqual(names);
		expect(seen).toEqual(names.flatMap((name) => [`begin ${name}`, `end ${name}`]));
	});

	const runner = (continueOnFail: boolean, type = 'test.modelRouter', stop?: AbortSignal) => {
		const shared = {};
		const n8n = of({
			getContext: () => shared,
			getNode: () => ({ type }),
			continueOnFail: () => continueOnFail,
			getExecutionCancelSignal: () => stop,
		});
		const { runSerially } = createExecutionState(n8n);
		return async (act: () => Promise<void>) => await runSerially(place, act);
	};

	it.each([
		[true, 'test.modelRouter', ['fails', 'second']],
		[false, 'test.modelRouter', ['fails']],
		// a tool carries on by itself, item by item
		[false, 'test.modelRouterTool', ['fails', 'second']],
	])('a failure, with Continue on Fail %s, of %s', async (continueOnFail, type, expected) => {
		const inTurn = runner(continueOnFail, type);
		const seen: string[] = [];
		const first = inTurn(async () => {
			seen.push('fails');
			throw new ServiceError('refused', 'no');
		});
		const second = Promise.allSettled([inTurn(async () => void seen.push('second'))]);
		expect(await failureOf(first)).toMatchObject({ message: 'no' });
		const [outcome] = await second;
		expect(seen).toEqual(expected);
		if (expected.length === 1) expect(outcome).toMatchObject({ reason: { kind: 'cancelled' } });
	});

	it('nobody has a turn after Stop', async () => {
		const stop = new AbortController();
		const inTurn = runner(true, 'test.modelRouter', stop.signal);
		stop.abort();
		const action = jest.fn();
		const cancelled = { kind: 'cancelled', details: { sent: false } };
		expect(await failureOf(inTurn(action))).toMatchObject(cancelled);
		expect(action).not.toHaveBeenCalled();
	});
});

describe('the state of a flow', () => {
	const over = (context: object, scope = 'scope') =>
		createFlowState(
			of({ getContext: () => context, getNode: () => ({ id: 'node' }) }),
			scope,
			createRedactor(ECHOED),
		);

	it('is there for all nodes of the same credential, and stored', () => {
		const context = {};
		over(context).set('chat', 'id-1');
		// as n8n reads it again
		for (const one of [context, structuredClone(context)])
			expect(over(one).get('chat')).toBe('id-1');
		expect(over(context, 'other').get('chat')).toBeUndefined();
	});

	it('keeps the last value, and none that holds the key', () => {
		const context = {};
		const { get, set } = over(context);
		for (const value of ['id-1', `of ${ECHOED}`, 'id-2']) {
			set('chat', value);
			expect(get('chat')).toBe(value.includes(ECHOED) ? undefined : value);
			expect(JSON.stringify(context)).not.toContain(ECHOED);
		}
	});
});
