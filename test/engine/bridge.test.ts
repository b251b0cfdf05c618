import type { IDataObject, INodeType } from 'n8n-workflow';

import { sources } from './rig/pack';
import { runLoop, says, to, type LoopOptions, type Speaker } from './rig/loop';

/** Says which of its answers this is. */
const counting = (name: string): Speaker => {
	let said = 0;
	return () => says(`${name} ${++said}`);
};

const loop = async (options: Partial<LoopOptions> = {}) =>
	await runLoop({
		bridge: { message: '={{ $json.q }}', turnLimit: 3 },
		items: [{ q: 'Hello' }],
		first: counting('first'),
		second: counting('second'),
		...options,
	});

const texts = (json: IDataObject | undefined) =>
	(json?.['transcript'] as Array<{ text: string }>).map(({ text }) => text);

it('two speakers talk, and Done tells all of it once', async () => {
	const { tasks, done, ends, error } = await loop();
	expect(error).toBeUndefined();
	expect(tasks.first.map(({ message }) => message)).toEqual(['Hello', 'second 1']);
	expect(tasks.second.map(({ message }) => message)).toEqual(['first 1']);
	expect(ends).toBe(1);
	expect(done).toMatchObject([
		{
			json: {
				output: 'first 2',
				ended: 'turnLimit',
				turns: 3,
				transcript: [
					{ speaker: 'First Speaker', text: 'first 1', durationMs: expect.any(Number) },
					{ speaker: 'Second Speaker', text: 'second 1' },
					{ speaker: 'First Speaker', text: 'first 2' },
				],
			},
		},
	]);
});

it('each side has one session id, a UUID, and its own history', async () => {
	const { tasks } = await loop({ bridge: { message: 'Hello', turnLimit: 4 } });
	const ids = [...tasks.first, ...tasks.second].map(({ sessionId }) => String(sessionId));
	expect(ids[0]).toMatch(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);
	expect(ids).toEqual([ids[0], ids[0], ids[2], ids[2]]);
	expect(ids[2]).not.toBe(ids[0]);
	expect(tasks.second[1]?.['messages']).toEqual([
		{ role: 'user', content: 'first 1' },
		{ role: 'assistant', content: 'second 1' },
		{ role: 'user', content: 'first 2' },
	]);
});

it('several items: one after the other, in order, each its own conversation', async () => {
	const items = ['one', 'two', 'three'].map((q) => ({ q }));
	const { done, tasks, ends } = await loop({
		items,
		bridge: { message: '={{ $json.q }}', turnLimit: 2, stopPhrase: '={{ $json.q }} stop' },
		first: ([item]) => says(`${String(item?.json['message'])}!`),
		second: ([item]) => says(String(item?.json['message']) === 'two!' ? 'two stop' : 'no'),
	});
	expect(tasks.first.map(({ message, conversation }) => [conversation, message])).toEqual([
		[1, 'one'],
		[2, 'two'],
		[3, 'three'],
	]);
	expect(ends).toBe(1);
	expect(done.map(({ json }) => [json['opening'], json['ended']])).toEqual([
		['one', 'turnLimit'],
		['two', 'stopPhrase'],
		['three', 'turnLimit'],
	]);
	expect(new Set([...tasks.first, ...tasks.second].map(({ sessionId }) => sessionId)).size).toBe(6);
});

it('expressions look back from every turn, and from Done, to the item it belongs to', async () => {
	const seen: unknown[] = [];
	const looking: Speaker = ([item], n8n) => {
		seen.push(n8n.evaluateExpression('{{ $("Start").item.json.q }}', 0));
		return says(String(item?.json['message']));
	};
	const ends: unknown[] = [];
	await loop({
		items: [{ q: 'one' }, { q: 'two' }],
		bridge: { message: '={{ $json.q }}', turnLimit: 2 },
		first: looking,
		second: looking,
		others: {
			After: (items, n8n) => {
				for (const at of items.keys())
					ends.push(n8n.evaluateExpression('{{ $("Start").item.json.q }}', at));
				return [[]];
			},
		},
		wiring: { Bridge: { main: [to('First'), to('Second'), to('After')] } },
	});
	expect(seen).toEqual(['one', 'one', 'two', 'two']);
	expect(ends).toEqual(['one', 'two']);
});

describe('a wire that is missing is told', () => {
	it.each<[string, LoopOptions['bridge'], LoopOptions['wiring'], string[]]>([
		['none', {}, {}, []],
		['to the second speaker', {}, { Bridge: { main: [to('First'), [], to('Done')] } }, ['Second']],
		['to either', {}, { Bridge: { main: [[], [], to('Done')] } }, ['First']],
		[
			'to a second one who has no turn',
			{ turnLimit: 1 },
			{ Bridge: { main: [to('First'), [], to('Done')] } },
			[],
		],
		['back from the first', {}, { First: { main: [[]] } }, ['back First']],
		[
			'back from the second, over another node',
			{},
			{ Second: { main: [to('Done')] } },
			['back Second'],
		],
		[
			'none: back over another node',
			{},
			{ Second: { main: [to('Copy')] }, Copy: { main: [to('Bridge')] } },
			[],
		],
	])('%s', async (_what, bridge, wiring = {}, missing) => {
		const { hints } = await loop({
			bridge: { message: 'Hello', turnLimit: 2, ...bridge },
			others: { Copy: (items) => [items] },
			wiring,
		});
		expect(hints).toEqual(
			missing.map((what) =>
				expect.stringMatching(
					what.startsWith('back')
						? `^Nothing leads from the output ${what.slice(5)} Speaker, .* back to this node`
						: `^Nothing is connected to the output ${what} Speaker, `,
				),
			),
		);
	});
});

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

it('every parameter does what it says', async () => {
	const clock = Date.now;
	let late = 0;
	const now = jest.spyOn(Date, 'now').mockImplementation(() => clock() + late);
	try {
		const { tasks, done } = await loop({
			bridge: {
				message: 'Hello',
				startsWith: 'second',
				turnLimit: 9,
				stopPhrase: 'Never',
				firstInstruction: 'Buy.',
				secondInstruction: 'Sell.',
				firstName: 'Ada',
				secondName: 'Bob',
				options: {
					answerField: ' data.reply ',
					relayTemplate: '{speaker}: {message}',
					removeStop: true,
					stopPattern: '/end/i',
					timeLimit: 60,
				},
			},
			items: [{}, {}],
			first: () => {
				late += 61_000;
				return [[{ json: { output: 'no', data: { reply: 'yes' } } }]];
			},
			second: ([item]) => [
				[{ json: { data: { reply: item?.json['conversation'] === 2 ? 'The END.' : 'well' } } }],
			],
		});
		expect(tasks.second[0]).toMatchObject({ message: 'Sell.\n\nHello', speaker: 'Bob' });
		expect(tasks.first[0]).toMatchObject({ message: 'Buy.\n\nBob: well', speaker: 'Ada' });
		expect(done.map(({ json }) => [json['ended'], json['output']])).toEqual([
			['timeLimit', 'yes'],
			['stopPattern', 'The .'],
		]);
		expect(done[0]?.json['reason']).toBe('Time Limit of 60 s was reached');
	} finally {
		now.mockRestore();
	}
});

it('an n8n that does not tell where items come from: what comes while a turn is under way answers it', async () => {
	const type = sources.nodeTypes.getByName('n8n-nodes-agent-bridge.agentBridge') as INodeType;
	const execute = type.execute!;
	type.execute = async function () {
		const silent = new Proxy(this, {
			get(n8n, name) {
				if (name === 'runExecutionData') return undefined;
				const value: unknown = Reflect.get(n8n, name);
				return typeof value === 'function' ? (value.bind(n8n) as unknown) : value;
			},
		});
		return await execute.call(silent);
	};
	try {
		const { done } = await loop({ items: [{ q: 'one' }, { q: 'two' }] });
		expect(done.map(({ json }) => json['opening'])).toEqual(['one', 'two']);
		expect(texts(done[1]?.json)).toEqual(['first 3', 'second 2', 'first 4']);
	} finally {
		type.execute = execute;
	}
});

it('as many turns as there may be', async () => {
	const { done, error, runsOf } = await loop({ bridge: { message: 'Hello', turnLimit: 500 } });
	expect(error).toBeUndefined();
	expect(done[0]?.json).toMatchObject({ turns: 500, output: 'second 250' });
	expect(runsOf('Bridge')).toBe(501);
});

it('what Done gave may come back: a further conversation', async () => {
	let rounds = 0;
	const { tasks, runsOf } = await loop({
		bridge: { message: '={{ $json.q ?? $json.output }}', turnLimit: 1 },
		others: { Again: (items) => [++rounds < 3 ? items : []] },
		wiring: {
			Bridge: { main: [to('First'), to('Second'), to('Again')] },
			Again: { main: [to('Bridge')] },
		},
	});
	expect(tasks.first.map(({ message }) => message)).toEqual(['Hello', 'first 1', 'first 2']);
	expect(runsOf('Again')).toBe(3);
});

it('a transcript is gone on with', async () => {
	const { done } = await loop();
	const transcript = done[0]?.json['transcript'] as IDataObject[];
	const next = await loop({
		items: [{ transcript }],
		bridge: { turnLimit: 1, options: { transcript: '={{ $json.transcript }}' } },
		second: () => says('and on'),
	});
	expect(next.tasks.second).toMatchObject([
		{
			message: 'first 2',
			sessionId: transcript[1]?.['sessionId'],
			turn: 4,
			messages: [
				{ role: 'user', content: 'first 1' },
				{ role: 'assistant', content: 'second 1' },
				{ role: 'user', content: 'first 2' },
			],
		},
	]);
	expect(texts(next.done[0]?.json)).toEqual(['first 1', 'second 1', 'first 2', 'and on']);
});

it("a speaker's error that is wired back ends its conversation, and the next begins", async () => {
	const { done, error } = await loop({
		items: [{ q: 'bad' }, { q: 'good' }],
		bridge: { message: '={{ $json.q }}', turnLimit: 1 },
		first: ([item]) =>
			item?.json['message'] === 'bad'
				? [[{ json: { ...item.json, error: 'It broke', details: { outcome: 'unknown' } } }]]
				: says('fine'),
	});
	expect(error).toBeUndefined();
	expect(done).toMatchObject([
		{
			json: {
				ended: 'error',
				reason: 'First Speaker failed: It broke',
				failure: { turn: 1, message: 'bad', error: 'It broke', details: { outcome: 'unknown' } },
			},
		},
		{ json: { ended: 'turnLimit', output: 'fine' } },
	]);
});

describe('a mistake in the parameters', () => {
	it.each<[string, IDataObject, string]>([
		['no message', { message: '' }, 'Message is empty'],
		['the same name', { secondName: 'First Speaker ' }, 'must differ'],
		['no name', { firstName: ' ' }, 'Name of First Speaker is empty'],
		[
			'a template without the message',
			{ options: { relayTemplate: 'x' } },
			'Relay Template must hold {message}',
		],
		['a pattern', { options: { stopPattern: '(' } }, 'Stop Pattern is no regular expression'],
		[
			'a transcript',
			{ options: { transcript: '[1]' } },
			'Transcript to Continue 1 must be an object',
		],
		['a limit', { turnLimit: 0 }, 'Turn Limit must be 1'],
	])('%s', async (_what, more, message) => {
		const bridge = { message: 'Hello', ...more } as LoopOptions['bridge'];
		const { error, runsOf } = await loop({ bridge });
		expect(error?.message).toContain(message);
		expect(runsOf('First')).toBe(0);
	});

	it('in the last item: nothing has been sent', async () => {
		const { error, runsOf } = await loop({ items: [{ q: 'Hello' }, {}] });
		expect(error?.message).toContain('Message is empty');
		expect(runsOf('First')).toBe(0);
	});

	it('with On Error: Continue, it is told at Done and no speaker gets the input', async () => {
		const settings = { onError: 'continueRegularOutput' as const };
		const { done, tasks } = await loop({ items: [{}, { q: 'Hello' }], settings });
		expect(tasks.first[0]).toMatchObject({ message: 'Hello', conversation: 2 });
		expect(done).toMatchObject([
			{
				json: {
					error: 'Message is empty. If it is an expression, it found nothing for this item.',
					details: { kind: 'invalid' },
				},
			},
			{ json: { ended: 'turnLimit' } },
		]);
	});

	it('with an error output, it goes there', async () => {
		const settings = { onError: 'continueErrorOutput' as const };
		const { done, run, runsOf } = await loop({ items: [{ a: 1 }], settings });
		expect([done, runsOf('First')]).toEqual([[], 0]);
		expect(run.data.resultData.runData['Bridge']?.[0]?.data?.['main']?.[3]).toMatchObject([
			{ json: { a: 1, error: expect.stringContaining('Message is empty') } },
		]);
	});

	it('the setting that would call the first speaker at any time', async () => {
		const { error } = await loop({ settings: { alwaysOutputData: true } });
		expect(error?.message).toContain('Always Output Data must be off');
	});
});

it('an agent under a session of its own is told of', async () => {
	const { hints } = await loop({ first: () => says('a', { sessionId: 'another' }) });
	expect(hints).toContainEqual(expect.stringContaining('answers under a session of its own'));
	expect((await loop()).hints).toEqual([]);
});

describe('live', () => {
	const lines = async (options: IDataObject, mode: 'stream' | 'quiet' = 'stream') => {
		const chunks: Array<{ type: string; content: string | undefined; runIndex: number }> = [];
		await loop({
			bridge: {
				message: 'Hello',
				turnLimit: 2,
				firstName: 'Ada',
				options,
			} as LoopOptions['bridge'],
			...(mode === 'stream' && {
				onChunk: ({ type, content, metadata: { nodeName, runIndex } }) => {
					if (nodeName === 'Bridge') chunks.push({ type, content, runIndex });
				},
			}),
		});
		return chunks;
	};

	it('a line names who speaks, in a bubble of its own', async () => {
		expect(await lines({})).toEqual([
			{ type: 'begin', content: undefined, runIndex: 0 },
			{ type: 'item', content: '**Ada:**\n\n', runIndex: 0 },
			{ type: 'end', content: undefined, runIndex: 0 },
			{ type: 'begin', content: undefined, runIndex: 1 },
			{ type: 'item', content: '**Second Speaker:**\n\n', runIndex: 1 },
			{ type: 'end', content: undefined, runIndex: 1 },
		]);
	});

	it('or the answers, for speakers that write none themselves', async () => {
		const items = (await lines({ liveOutput: 'answers' })).filter(({ type }) => type === 'item');
		expect(items.map(({ content }) => content)).toEqual([
			'**Ada:**\n\nfirst 1\n\n',
			'**Second Speaker:**\n\nsecond 1\n\n',
		]);
	});

	it('or nothing; and never where nobody reads along', async () => {
		expect(await lines({ liveOutput: 'nothing' })).toEqual([]);
		expect(await lines({}, 'quiet')).toEqual([]);
	});
});
