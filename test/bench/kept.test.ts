import { writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

import { chat, model } from '../engine/rig/calls';
import { run } from '../engine/rig/run';
import { answersOf, models } from './answers';
import type { Samples } from './row';

/** So many that what a node has only once counts for little. */
const ITEMS = 3000;

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;
function heldKb() {
	collect();
	return process.memoryUsage().heapUsed / 1024;
}

it('a node keeps at most 3.5 kB of an item until it ends, the item and its output included', async () => {
	const answers = answersOf(0);
	const held: number[] = [];
	let asked = 0;
	const server = createServer((request, response) => {
		void text(request).then((body) => {
			if (request.method === 'POST' && [1, ITEMS].includes(++asked)) held.push(heldKb());
			const { type = 'application/json', ...answer } = answers(request.url ?? '', body);
			response.setHeader('content-type', type);
			response.end('body' in answer ? answer.body : undefined);
		});
	});
	await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
	const { port } = server.address() as AddressInfo;
	const modelRouterApi = { baseUrl: `http://127.0.0.1:${port}`, apiKey: 'a-key-of-the-benchmark' };
	const ask = async (count: number) =>
		await run({
			...chat('={{ $json.text }}', { model: model(models.short) }),
			items: Array.from({ length: count }, (_, item) => ({ text: `message-${item}` })),
			secrets: { modelRouterApi },
		});
	await ask(100);
	asked = 0;
	const before = heldKb();
	const { items } = await ask(ITEMS);
	server.close();
	expect(items).toHaveLength(ITEMS);
	const [prepared = NaN, ended = NaN] = held.slice(-2).map((kb) => (kb - before) / ITEMS);
	expect(Math.max(prepared, ended)).toBeLessThan(3.5);
	const samples: Samples = {
		'when the first is sent': [{ 'kept kB': prepared }],
		'when the last is sent': [{ 'kept kB': ended }],
	};
	const file = process.env['AGENT_BRIDGE_SAMPLES'];
	if (file) writeFileSync(file, JSON.stringify(samples));
});
