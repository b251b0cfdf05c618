import type { IDataObject, INodeType } from 'n8n-workflow';

import { says, to, type LoopOptions, type Speaker } from './rig/loop';
import { sources } from './rig/pack';
import { loop, texts } from './rig/talk';

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
		['a pattern', { options: { stopPattern: '(' } }, 'Stop Pattern cannot be used'],
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
