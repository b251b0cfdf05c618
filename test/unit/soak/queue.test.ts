import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';

import { listen } from '../../service/listen';
import { ITEMS, saidIn, START } from '../../soak/queue/host';
import { openLoad } from '../../soak/queue/load';
import { DISTURBANCES_IN_A_ROW, disturbanceOf } from '../../soak/queue/processes';
import { manyWanted } from '../../soak/wanted';

const disturbances = (seed: number, from: number) =>
	Array.from({ length: DISTURBANCES_IN_A_ROW }, (_, at) => disturbanceOf(seed, from + at, 3));

it('every process is ended in every way in a row of six, in an order that follows from the seed', () => {
	for (const from of [0, DISTURBANCES_IN_A_ROW])
		expect(
			disturbances(1, from)
				.map(({ name }) => name)
				.sort(),
		).toEqual([
			...['Redis, kill -9', 'main, SIGTERM', 'main, kill -9'],
			...['worker, SIGTERM', 'worker, kill -9', 'worker, kill -9'],
		]);
	expect(disturbances(1, 0)).toEqual(disturbances(1, 0));
	expect(disturbances(1, 0)).not.toEqual(disturbances(2, 0));
	for (const { worker } of disturbances(1, 0)) expect([0, 1, 2]).toContain(worker);
});

it('reads from an execution what the start node has said of each key', () => {
	const of = (items: unknown[][]) => [
		{ executionStatus: 'success', executionTime: 0, data: { main: items } },
	];
	const keys = ['soak-1', 'soak-2', 'soak-3'].map((key) => ({ json: { key } }));
	const failed = (item: number, details: object) => ({ json: { details }, pairedItem: { item } });
	const runData = {
		[ITEMS!]: of([keys]),
		[START!]: of([
			[{ json: { jobId: 'job-2' }, pairedItem: { item: 1 } }],
			[failed(0, { outcome: 'unknown' }), failed(2, { outcome: 'not_started', jobId: 'job-9' })],
		]),
	} as Parameters<typeof saidIn>[0]['runData'];
	expect(saidIn({ runData })).toEqual([
		{ key: 'soak-2', jobId: 'job-2' },
		{ key: 'soak-1', outcome: 'unknown' },
		{ key: 'soak-3', outcome: 'not_started', jobId: 'job-9' },
	]);
	expect(saidIn({ runData: {} })).toEqual([]);
});

type Answer = (response: ServerResponse, request: IncomingMessage) => void;
const breaks: Answer = (_response, request) => request.socket.destroy();
const fails: Answer = (response) => response.writeHead(500).end('{"message":"Error in workflow"}');
const ends: Answer = (response) => response.writeHead(200).end('{}');

let server: Server;
afterEach(() => void server?.close());

it.each<[string, boolean, Answer[], object]>([
	['three executions race for unique keys', true, [], { sent: 3, lost: 0, again: 0 }],
	[
		'keys whose executions have all ended without an answer are started again',
		true,
		[breaks, fails, breaks, fails, ends],
		{ sent: 5, lost: 4, again: 2 },
	],
	['a batch without keys is sent once', false, [ends], { sent: 1, lost: 0, again: 0 }],
	['also after a failed execution', false, [fails], { sent: 1, lost: 1, again: 0 }],
	['and a connection that breaks', false, [breaks], { sent: 1, lost: 1, again: 0 }],
])('%s', async (_what, hasKeys, answers, calls) => {
	const received: string[] = [];
	server = createServer(async (request, response) => {
		received.push(`${request.url} ${await text(request)}`);
		(answers.shift() ?? ends)(response, request);
	});
	const address = `http://127.0.0.1:${await listen(server)}`;
	const load = openLoad((keyed) => `${address}/${keyed ? 'with' : 'without'}`);
	const wanted = manyWanted(1, 2);
	await load.run([{ wanted, hasKeys }], 0, () => undefined);
	expect(load.calls).toEqual(calls);
	const body = JSON.stringify({ items: wanted });
	expect(new Set(received)).toEqual(new Set([`/${hasKeys ? 'with' : 'without'} ${body}`]));
});
