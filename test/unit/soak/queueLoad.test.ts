import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';

import { listen } from '../../service/listen';
import { openLoad, type Batch } from '../../soak/queue/load';
import { wantedOf } from '../../soak/wanted';

type Answer = (response: ServerResponse, request: IncomingMessage) => void;

const breaks: Answer = (_response, request) => request.socket.destroy();
const fails: Answer = (response) => response.writeHead(500).end('{"message":"Error in workflow"}');
const ends: Answer = (response) => response.writeHead(200).end('{}');

let server: Server;
/** What n8n answers, call by call. */
let answers: Answer[];
let received: string[];
let address: string;
beforeEach(async () => {
	received = [];
	server = createServer(async (request, response) => {
		received.push(`${request.url} ${await text(request)}`);
		(answers.shift() ?? ends)(response, request);
	});
	address = `http://127.0.0.1:${await listen(server)}`;
});
afterEach(() => {
	server.closeAllConnections();
	server.close();
});

const wanted = [wantedOf(1, 0), wantedOf(1, 1)];
const made = async (batch: Omit<Batch, 'wanted'>) => {
	const load = openLoad((hasKeys) => `${address}/${hasKeys ? 'with' : 'without'}`);
	const progress: number[] = [];
	await load.run([{ wanted, ...batch }], 0, (count) => progress.push(count));
	return { progress, calls: load.calls };
};
const body = JSON.stringify({ items: wanted });

it('three executions race for unique keys', async () => {
	answers = [];
	const calls = { sent: 3, lost: 0, again: 0, refused: 0 };
	expect(await made({ hasKeys: true })).toEqual({ progress: [2], calls });
	expect(received).toEqual(Array(3).fill(`/with ${body}`));
});

it('keys whose executions have all ended without an answer are started again, once they are', async () => {
	answers = [breaks, fails, breaks, fails, ends];
	const calls = { sent: 5, lost: 4, again: 2, refused: 0 };
	expect(await made({ hasKeys: true })).toEqual({ progress: [2], calls });
});

it.each([
	['an answer', ends, 0],
	['a failed execution', fails, 1],
	['a connection that breaks', breaks, 1],
])('a batch without keys is sent once, whatever comes: %s', async (_name, answer, lost) => {
	answers = [answer];
	const calls = { sent: 1, lost, again: 0, refused: 0 };
	expect(await made({ hasKeys: false })).toEqual({ progress: [2], calls });
	expect(received).toEqual([`/without ${body}`]);
});
