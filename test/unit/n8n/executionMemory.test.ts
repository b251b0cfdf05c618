import { createRunExecutionData, type IExecuteFunctions } from 'n8n-workflow';

import { executionMemory } from '../../../src/n8n/executionMemory';
import { ServiceError } from '../../../src/service/errors';
import { failureOf } from '../inMemoryHttp';
import { executeContext } from './executeContext';

/** A place that is never taken by another item. */
const place = { away: async <Result>(wait: () => Promise<Result>) => await wait() };
const pause = () => new Promise((resolve) => setTimeout(resolve, 5));

it('keeps data for all runs of a node in one execution, and stores it with the execution', () => {
	const data = createRunExecutionData();
	const first = executionMemory(executeContext({ data, runIndex: 0 }));
	first.kept('sum', () => ({ count: 0 })).count++;
	const second = executionMemory(executeContext({ data, runIndex: 1 }));
	expect(second.kept('sum', () => ({ count: 0 }))).toEqual({ count: 1 });
	expect(second.kept('other', () => ({ count: 7 }))).toEqual({ count: 7 });
	expect(JSON.stringify(data.executionData?.contextData)).toContain('"sum":{"count":1}');
	const another = executionMemory(executeContext({}));
	expect(another.kept('sum', () => ({ count: 0 }))).toEqual({ count: 0 });
});

it('one has its turn after the other, in the order of asking, in all runs of one execution', async () => {
	const data = createRunExecutionData();
	const [one, other] = [executeContext({ data }), executeContext({ data, runIndex: 1 })];
	const turns = [executionMemory(one), executionMemory(other)].map(({ turnOf }) => turnOf(place));
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

const context = (continueOnFail: boolean, stop?: AbortSignal) =>
	({
		getContext: () => ({}),
		continueOnFail: () => continueOnFail,
		getExecutionCancelSignal: () => stop,
	}) as unknown as IExecuteFunctions;

it.each([
	[true, ['fails', 'second']],
	[false, ['fails']],
])('a failure, with Continue on Fail %s', async (continueOnFail, expected) => {
	const n8n = context(continueOnFail);
	const shared = {};
	n8n.getContext = () => shared;
	const inTurn = executionMemory(n8n).turnOf(place);
	const seen: string[] = [];
	const first = inTurn(async () => {
		seen.push('fails');
		throw new ServiceError('refused', 'no');
	});
	const second = inTurn(async () => void seen.push('second'));
	expect(await failureOf(first)).toMatchObject({ message: 'no' });
	const [outcome] = await Promise.allSettled([second]);
	expect(seen).toEqual(expected);
	if (!continueOnFail) expect(outcome).toMatchObject({ reason: { kind: 'stopped' } });
});

it('nobody has a turn after Stop', async () => {
	const stop = new AbortController();
	const inTurn = executionMemory(context(true, stop.signal)).turnOf(place);
	stop.abort();
	const action = jest.fn();
	expect(await failureOf(inTurn(action))).toMatchObject({
		kind: 'stopped',
		details: { sent: false },
	});
	expect(action).not.toHaveBeenCalled();
});
