import type { StructuredChunk } from 'n8n-workflow';

import { startService, type Service } from '../service/service';
import { chat, posts, response, secretsOf } from './rig/calls';
import { run, start, type RunOptions } from './rig/run';

// text goes out as it comes, where somebody reads along, and only there
let service: Service;
beforeAll(async () => (service = await startService()));
beforeEach(() => service.reset());
afterAll(() => service.stop());

async function live(options: Partial<RunOptions>, question = '[[words:40]]', ask = chat) {
	const chunks: StructuredChunk[] = [];
	const outcome = await run({
		...ask(question),
		secrets: secretsOf(service),
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

it.each([
	['a chat', chat],
	['a response', response],
])('%s: begin, pieces, end; together they are the output', async (_what, ask) => {
	const { types, text, items } = await live({}, '[[words:40]]', ask);
	expect(text).toMatch(/^word1 .*word40$/);
	expect(text).toBe(items[0]?.json['output']);
	expect([types[0], types.at(-1)]).toEqual(['begin', 'end']);
	expect(types.slice(1, -1).every((type) => type === 'item')).toBe(true);
});

it('word n+1 is not said before word n has been read', async () => {
	service.forms.gate = true;
	let text = '';
	const words = () => text.split(' ').filter(Boolean).length;
	let seen = 0;
	const { finished } = start({
		...chat('[[words:5]]'),
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
	while (!posts(service).length) await new Promise((resolve) => setTimeout(resolve, 10));
	service.step();
	const { items } = await finished;
	expect([seen, items[0]?.json['output']]).toEqual([5, text]);
});

it.each<[string, Partial<RunOptions>]>([
	['a tool of an AI agent', { asTool: true }],
	['a trigger execution', { mode: 'trigger' }],
	['a retried execution', { mode: 'retry' }],
])('not for %s', async (_what, options) => {
	const { chunks, items } = await live(options);
	expect(chunks).toEqual([]);
	expect(items[0]?.json['output']).toMatch(/^word1/);
});

it('items follow one another while it streams, whatever the setting', async () => {
	const requestSettings = { concurrency: 50 };
	const { parameters, ...rest } = chat('={{ $json.q }}', { requestSettings });
	const items = [1, 2, 3].map((number) => ({ q: `[[words:${number * 10}]]` }));
	const { chunks } = await live({ ...rest, parameters, items });
	const order = chunks.map(({ metadata }) => metadata.itemIndex);
	expect(order).toEqual([...order].sort());
	expect(chunks.filter(({ type }) => type === 'begin')).toHaveLength(3);
	expect(service.mostInFlight).toBe(1);
});

it('a reader who left costs the answer nothing', async () => {
	const { items, error } = await live({ onChunk: () => Promise.reject(new Error('gone')) });
	expect(error).toBeUndefined();
	expect(items[0]?.json['output']).toMatch(/word40$/);
});

it('an answer that breaks off: what came has been sent, and the end is said', async () => {
	service.fault({ match: { method: 'POST' }, do: { type: 'limit_data', bytes: 2000 } });
	const { text, types, error } = await live({});
	const partial = (error?.context?.['metadata'] as { partial: { text: string } }).partial;
	expect(text).toBe(partial.text);
	expect(text).toMatch(/^word1/);
	expect(types).toContain('end');
	// n8n shows the description in the chat, and "Unknown error" without one
	expect(types.at(-1)).toBe('error');
});
