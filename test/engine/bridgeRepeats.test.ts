import type { INodeType } from 'n8n-workflow';

import { runLoop, says, to } from './rig/loop';
import { sources } from './rig/pack';
import { counting, loop, texts } from './rig/talk';

describe('no turn twice', () => {
	it('when a speaker is wired back twice', async () => {
		const { tasks, done, ends, hints } = await loop({
			others: { Copy: (items) => [items] },
			wiring: { First: { main: [to('Bridge', 'Copy')] }, Copy: { main: [to('Bridge')] } },
		});
		expect([tasks.first.length, tasks.second.length, ends]).toEqual([2, 1, 1]);
		expect(texts(done[0]?.json)).toEqual(['first 1', 'second 1', 'first 2']);
		expect(hints).toContainEqual(expect.stringContaining('second answer to the same turn'));
	});

	it('when the second answer comes while the next turn is under way', async () => {
		const { tasks, done, hints } = await loop({
			executionOrder: 'v0',
			others: { Copy: (items) => [items] },
			wiring: { First: { main: [to('Bridge', 'Copy')] }, Copy: { main: [to('Bridge')] } },
		});
		expect([tasks.first.length, tasks.second.length]).toEqual([2, 1]);
		expect(texts(done[0]?.json)).toEqual(['first 1', 'second 1', 'first 2']);
		expect(hints).toHaveLength(2);
	});

	it('with Retry On Fail of the bridge', async () => {
		const settings = { retryOnFail: true, maxTries: 3, waitBetweenTries: 1 };
		const { tasks, ends } = await loop({ settings });
		expect([tasks.first.length, tasks.second.length, ends]).toEqual([2, 1, 1]);
	});

	it('when a speaker fails at first: its retry answers the same turn', async () => {
		let tries = 0;
		const { tasks, done } = await loop({
			bridge: { message: 'Hello', turnLimit: 2 },
			second: () => {
				if (++tries === 1) throw new Error('It broke');
				return says('second');
			},
		}).then(async ({ error, run }) => {
			expect(error?.message).toBe('It broke');
			const stored = JSON.parse(JSON.stringify(run.data)) as typeof run.data;
			// as n8n does: the failed run is taken away, and its node is still on the stack
			stored.resultData.runData['Second']?.pop();
			delete stored.resultData.error;
			return await runLoop({
				bridge: { message: 'Hello', turnLimit: 2 },
				first: counting('first'),
				second: () => says('second'),
				retry: stored,
			});
		});
		expect([tasks.first.length, tasks.second.length]).toEqual([1, 1]);
		expect(texts(done[0]?.json)).toEqual(['first 1', 'second']);
	});

	it('when an item comes in from elsewhere meanwhile: it waits', async () => {
		const { done, tasks, ends } = await loop({
			executionOrder: 'v0',
			bridge: { message: '={{ $json.q }}', turnLimit: 2 },
			others: { Other: () => [[{ json: { q: 'Late' }, pairedItem: { item: 0 } }]] },
			wiring: { Start: { main: [to('Bridge', 'Other')] }, Other: { main: [to('Bridge')] } },
		});
		expect(tasks.first.map(({ message }) => message)).toEqual(['Hello', 'Late']);
		expect(done.map(({ json }) => texts(json))).toEqual([
			['first 1', 'second 1'],
			['first 2', 'second 2'],
		]);
		expect(ends).toBe(1);
	});

	it('whatever n8n repeats: each run of the bridge carried out twice', async () => {
		const type = sources.nodeTypes.getByName('n8n-nodes-agent-bridge.agentBridge') as INodeType;
		const execute = type.execute!;
		const runs: unknown[] = [];
		const lines: string[] = [];
		type.execute = async function () {
			runs.push(JSON.stringify(await execute.call(this)));
			const again = await execute.call(this);
			runs.push(JSON.stringify(again));
			return again;
		};
		try {
			const { done, tasks } = await loop({
				onChunk: ({ type: kind, content = '' }) => kind === 'item' && lines.push(content),
			});
			expect([tasks.first.length, tasks.second.length]).toEqual([2, 1]);
			expect(texts(done[0]?.json)).toEqual(['first 1', 'second 1', 'first 2']);
		} finally {
			type.execute = execute;
		}
		expect(runs.filter((_, at) => at % 2)).toEqual(runs.filter((_, at) => at % 2 === 0));
		expect(lines).toHaveLength(3);
	});
});
