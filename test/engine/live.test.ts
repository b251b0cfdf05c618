import type { StructuredChunk } from 'n8n-workflow';

import { event } from '../service/answer';
import type { Fault } from '../service/service';
import { agent, assistant, chat, failPosts, response, secretsOf, streamed } from './rig/calls';
import { start, type RunOptions } from './rig/run';
import { serviceForTests } from './rig/service';

// text goes out as it comes, where somebody reads along, and only there
const service = serviceForTests();

async function live(options: Partial<RunOptions>, question = '[[words:40]]', ask = chat) {
	const chunks: StructuredChunk[] = [];
	const outcome = await service.run(ask(question), {
		mode: 'webhook',
		onChunk: (chunk) => chunks.push(chunk),
		...options,
	});
	const own = chunks.filter(({ metadata }) => metadata.nodeName === 'Node');
	const text = own
		.filter(({ type }) => type === 'item')
		.map(({ content }) => content)
		.join('');
	return { ...outcome, chunks: own, types: own.map(({ type }) => type), text };
}

const tell = (message: string) => agent({ message });
const ask = (question: string) => assistant('ask', { question });
const askStreaming = (question: string, options = {}) =>
	assistant('askStreaming', { question, options });

it.each([
	['a chat', chat],
	['a response', response],
	['an agent', tell],
	['the assistant', askStreaming],
	['the assistant, whole', ask],
])('%s: begin, pieces, end; together they are the output', async (_what, sends) => {
	const { types, text, items } = await live({}, '[[words:40]]', sends);
	expect(text).toMatch(/^word1 .*word40$/);
	expect(text).toBe(items[0]?.json['output']);
	expect([types[0], types.at(-1)]).toEqual(['begin', 'end']);
	expect(types.slice(1, -1).every((type) => type === 'item')).toBe(true);
});

it.each([
	['a chat', chat, 1],
	['an agent', tell, 0],
	['the assistant', askStreaming, 3],
])('%s: word n+1 is not said before word n has been read', async (_what, sends, piecesBefore) => {
	service.forms.gate = true;
	let text = '';
	const words = () => text.split(' ').filter(Boolean).length;
	let seen = 0;
	const { finished } = start({
		...sends('[[words:5]]'),
		secrets: secretsOf(service),
		mode: 'webhook',
		onChunk({ type, content = '' }) {
			if (type !== 'item') return;
			text += content;
			expect(words()).toBeLessThanOrEqual(seen + 1);
			for (; seen < words(); seen++) service.step();
			if (seen === 5) service.step(10);
		},
	});
	await service.gated();
	service.step(piecesBefore);
	const { items } = await finished;
	expect([seen, items[0]?.json['output']]).toEqual([5, text]);
});

it.each<[string, Partial<RunOptions>]>([
	['a tool of an AI agent', { asTool: true }],
	['a trigger execution', { mode: 'trigger' }],
	['a retried execution', { mode: 'retry' }],
])('not for %s', async (_what, options) => {
	const withTools = (question: string) => askStreaming(question, { showToolCalls: true });
	for (const sends of [chat, tell, ask, withTools]) {
		const { chunks, items } = await live(options, '[[words:40]]', sends);
		expect(chunks).toEqual([]);
		expect(items[0]?.json['output']).toMatch(/^word1/);
	}
});

describe('the tools of the assistant', () => {
	const question = '[[tools:2]] [[words:3]]';

	it.each([
		[{}, 'word1 word2 word3'],
		[{ showToolCalls: true }, 'Reading market data…\n\nSearching the web…\n\nword1 word2 word3'],
	])('with %j a reader sees %j', async (options, expected) => {
		const { text, items } = await live({}, question, (text) => askStreaming(text, options));
		expect([text, items[0]?.json['output']]).toEqual([expected, 'word1 word2 word3']);
	});

	it.each([
		['a long title', `${'word '.repeat(39)}12345`, `${'word '.repeat(39)}12345…\n\n`],
		['a longer one', `${'word '.repeat(39)}123456`, `${'word '.repeat(39).trim()}…\n\n`],
		['the end of a word', `${'word '.repeat(1000)}`, `${'word '.repeat(40).trim()}…\n\n`],
		['a word without an end', 'x'.repeat(5000), ''],
	])('%s: as much of it as a line of the chat takes', async (_what, title, shown) => {
		const events = [
			event('pending_tool_call', { call_id: '1', title: { en: title } }),
			event('message_start', { t: 'hi' }),
			event('message_end', {}),
			event('finish', null),
		];
		failPosts(service, streamed(events.join('')));
		const { text, items } = await live({}, 'hello', (question) =>
			askStreaming(question, { showToolCalls: true }),
		);
		expect(text).toBe(`${shown}hi`);
		expect(items[0]?.json['toolCalls']).toMatchObject([{ label: title }]);
	});

	it('are named while they are at work', async () => {
		service.forms.gate = true;
		let text = '';
		const { finished } = start({
			...askStreaming(question, { showToolCalls: true }),
			secrets: secretsOf(service),
			mode: 'webhook',
			onChunk({ type, content = '' }) {
				if (type === 'item') text += content;
				if (text === 'Reading market data…\n\n') service.step(100);
			},
		});
		await service.gated();
		service.step();
		await finished;
		expect(text).toMatch(/word3$/);
	});
});

it('items follow one another while it streams, whatever the setting', async () => {
	const call = chat('={{ $json.q }}', { requestSettings: { concurrency: 50 } });
	const items = [1, 2, 3].map((number) => ({ q: `[[words:${number * 10}]]` }));
	const { chunks } = await live({ ...call, items });
	const order = chunks.map(({ metadata }) => metadata.itemIndex);
	expect(order).toEqual([...order].sort());
	expect(chunks.filter(({ type }) => type === 'begin')).toHaveLength(3);
	expect(service.mostInFlight).toBe(1);
});

it('an answer that breaks off: what came has been sent, and the end is said', async () => {
	// Node drops what nobody has read when a connection ends: it comes in pieces
	const faults: Fault[] = [
		{ type: 'limit_data', bytes: 2000 },
		{ type: 'slicer', bytes: 200, pause: 20 },
	];
	service.fault({ match: { method: 'POST' }, do: faults });
	const { text, types, error } = await live({});
	const partial = (error?.context?.['metadata'] as { partial: { text: string } }).partial;
	// what n8n writes of the failure is not beside it
	expect(text).toBe(`${partial.text}\n\n`);
	expect(text).toMatch(/^word1/);
	expect(types).toContain('end');
	// n8n shows the description in the chat, and "Unknown error" without one
	expect(types.at(-1)).toBe('error');
});

describe('a visitor of a chat', () => {
	const fail = async (sends: typeof chat, does: Fault) => {
		service.fault({ match: { method: 'POST' }, do: does });
		return await live({ chatted: { chatInput: 'hello' } }, '[[words:40]]', sends);
	};
	const refused: Fault = {
		type: 'status',
		status: 401,
		body: { detail: 'no such key at 10.0.0.7' },
	};

	it.each([
		['a model', chat],
		['an agent', tell],
		['the assistant', askStreaming],
	])(
		'reads only that %s could not answer: the rest is for the editor and the log',
		async (...row) => {
			const [, sends] = row;
			const { chunks, error } = await fail(sends, refused);
			expect(chunks.map(({ type, content }) => [type, content])).toEqual([
				['error', 'Node could not answer.'],
			]);
			expect(error).toMatchObject({
				message: expect.stringContaining('The service refused the API key (401)'),
				messages: expect.arrayContaining([
					expect.stringMatching(/10\.0\.0\.7[^]*Copy the API key/),
				]),
			});
			// whoever calls a webhook reads what the author reads
			service.fault({ match: { method: 'POST' }, do: refused });
			const others = await live({}, 'hello', sends);
			expect(others.chunks.at(-1)?.content).toContain('10.0.0.7');
		},
	);

	it('reads no more of a sub-workflow, with whose error the chat ends', async () => {
		service.fault({ match: { method: 'POST' }, do: refused });
		// it has no stream of its own
		const { chunks } = await live({ mode: 'trigger' });
		expect(chunks).toMatchObject([{ type: 'error', content: 'Node could not answer.' }]);
	});

	it('reads no more of a mistake in the workflow, or of a chat that cannot be continued', async () => {
		for (const parameters of [{ resource: '={{ 1 }}' }, { sessionMode: 'id', sessionId: 'x' }]) {
			const { chunks } = await fail(() => agent({ message: 'a', ...parameters }), refused);
			expect(chunks).toMatchObject([{ type: 'error', content: 'Node could not answer.' }]);
		}
	});
});
