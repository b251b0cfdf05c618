import { createRunExecutionData, type IExecuteFunctions } from 'n8n-workflow';

import { ServiceError } from '../../../src/core/errors';
import { createExecutionState } from '../../../src/n8n/operationContext';
import { failureOf } from '../inMemoryHttp';
import { executeContext } from './executeContext';

/** A place that is never taken by another item. */
const place = { releaseDuring: async <Result>(wait: () => Promise<Result>) => await wait() };
const pause = () => new Promise((resolve) => setTimeout(resolve, 5));

it('keeps data for all runs of a node in one execution, and stores it with the execution', () => {
	const data = createRunExecutionData();
	const first = createExecutionState(executeContext({ data, runIndex: 0 }));
	first.getState('sum', () => ({ count: 0 })).count++;
	const second = createExecutionState(executeContext({ data, runIndex: 1 }));
	expect(second.getState('sum', () => ({ count: 0 }))).toEqual({ count: 1 });
	expect(second.getState('other', () => ({ count: 7 }))).toEqual({ count: 7 });
	expect(JSON.stringify(data.executionData?.contextData)).toContain('"sum":{"count":1}');
	const another = createExecutionState(executeContext({}));
	expect(another.getState('sum', () => ({ count: 0 }))).toEqual({ count: 0 });
});

it('one has its turn after the other, in the order of asking, in all runs of one execution', async () => {
	const data = createRunExecutionData();
	const [one, other] = [executeContext({ data }), executeContext({ data, runIndex: 1 })];
	const turns = [createExecutionState(one), createExecutionState(other)].map(
		({ createSerialRunner }) => createSerialRunner(place),
	);
	const seen: string[] = [];
	const take = (inTurn: (typeof turns)[number] | undefined, name: string) =>
		inTurn?.(async () => {
			seen.push(`begin ${name}`);
			await pause();
			seen.push(`end ${name}`);
			return name;
		});
	const results = ['a', 'b', 'c', 'd'].map((name, index) => take(turns[index % 2], name));
	expect(await Promise.all(results)).toEqual(['a', 'b', 'c', 'd']);
	expect(seen).toEqual(['a', 'b', 'c', 'd'].flatMap((name) => [`begin ${name}`, `end ${name}`]));
});

const context = (continueOnFail: boolean, stop?: AbortSignal, type = 'test.modelRouter') =>
	({
		getContext: () => ({}),
		getNode: () => ({ type }),
		continueOnFail: () => continueOnFail,
		getExecutionCancelSignal: () => stop,
	}) as unknown as IExecuteFunctions;

it.each([
	[true, 'test.modelRouter', ['fails', 'second']],
	[false, 'test.modelRouter', ['fails']],
	// a tool carries on by itself, item by item
	[false, 'test.modelRouterTool', ['fails', 'second']],
])('a failure, with Continue on Fail %s, of %s', async (continueOnFail, type, expected) => {
	const n8n = context(continueOnFail, undefined, type);
	const shared = {};
	n8n.getContext = () => shared;
	const inTurn = createExecutionState(n8n).createSerialRunner(place);
	const seen: string[] = [];
	const first = inTurn(async () => {
		seen.push('fails');
		throw new ServiceError('refused', 'no');
	});
	const second = inTurn(async () => void seen.push('second'));
	expect(await failureOf(first)).toMatchObject({ message: 'no' });
	const [outcome] = await Promise.allSettled([second]);
	expect(seen).toEqual(expected);
	if (expected.length === 1) expect(outcome).toMatchObject({ reason: { kind: 'cancelled' } });
});

it('nobody has a turn after Stop', async () => {
	const stop = new AbortController();
	const inTurn = createExecutionState(context(true, stop.signal)).createSerialRunner(place);
	stop.abort();
	const action = jest.fn();
	expect(await failureOf(inTurn(action))).toMatchObject({
		kind: 'cancelled',
		details: { sent: false },
	});
	expect(action).not.toHaveBeenCalled();
});
