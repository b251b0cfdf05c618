import type { ServerResponse } from 'node:http';

import { text, type Answer } from './answer.ts';
import { client } from './probe.ts';
import { send, type Wire } from './send.ts';
import { startService, type Fault, type Service } from './service.ts';

let service: Service;
beforeAll(async () => (service = await startService()));
beforeEach(() => service.reset());
afterAll(() => service.stop());

/** A wire that tells what was done with it, in order; `left` when the client is gone from the start. */
function wireFor(answer: Answer, left = false) {
	const done: string[] = [];
	const closing = new AbortController();
	const tell = (what: string) => () => void done.push(what);
	const response = {
		writeHead: tell('head'),
		flushHeaders: () => undefined,
		write: (part: string | Buffer) => !!done.push(String(part)),
		end: tell('end'),
		socket: { end: tell('fin') },
	} as unknown as ServerResponse;
	const wire: Wire = {
		response,
		closed: closing.signal,
		reset: tell('reset'),
		released: async () => undefined,
		breaking: tell('breaking'),
	};
	if (left) closing.abort();
	return { done, close: () => closing.abort(), sent: send(answer, wire) };
}

const answer = (body: Answer['body'], before?: Answer['before']): Answer => ({
	...text(''),
	body,
	...(before && { before }),
});

it.each([
	['a reset', { act: 'reset' }, ['breaking', 'reset']],
	['a FIN', { act: 'fin' }, ['breaking', 'fin']],
	['silence', { act: 'silence' }, []],
] as const)('%s before the head', async (_name, act, expected) => {
	const { done, sent } = wireFor(answer('x', [act]));
	await sent;
	expect(done).toEqual(expected);
});

it.each([
	['a reset', { act: 'reset' }, ['head', 'a', 'breaking', 'reset']],
	['a FIN', { act: 'fin' }, ['head', 'a', 'breaking', 'fin']],
	['silence', { act: 'silence' }, ['head', 'a']],
	['a wait', { wait: 1 }, ['head', 'a', 'b', 'end']],
] as const)('%s in the body', async (_name, act, expected) => {
	const { done, sent } = wireFor(
		answer(
			(async function* () {
				yield 'a';
				yield act;
				yield 'b';
			})(),
		),
	);
	await sent;
	expect(done).toEqual(expected);
});

it.each(['reset', 'fin'] as const)('a client that left just before: no %s', async (act) => {
	const { done, sent, close } = wireFor(answer('x', [{ act }]));
	close();
	await sent;
	expect(done).toEqual([]);
});

it('a client that left while the body waits: nothing more is taken from it', async () => {
	const taken: string[] = [];
	const { done, sent, close } = wireFor(
		answer(
			(async function* () {
				yield 'a';
				taken.push('a');
				yield { wait: 3_600_000 };
				taken.push('wait');
				yield 'b';
			})(),
		),
	);
	while (!taken.length) await new Promise(setImmediate);
	close();
	await sent;
	expect([done, taken]).toEqual([['head', 'a'], ['a']]);
});

it('a client that left before the head: nothing is sent', async () => {
	const { done, sent, close } = wireFor(answer('x', [{ wait: 3_600_000 }]));
	close();
	await sent;
	expect(done).toEqual([]);
});

it('a client that left while the answer was made: nothing is sent', async () => {
	const { done, sent } = wireFor(answer('x'), true);
	await sent;
	expect(done).toEqual([]);
});

it.each<Fault>([
	{ type: 'reset_peer', bytes: 3 },
	{ type: 'limit_data', bytes: 3 },
	{ type: 'raw', bytes: 'nonsense' },
])('a connection that the service breaks is not abandoned: %j', async (fault) => {
	service.fault({ do: fault });
	const headers = { 'x-api-key': service.router.keys.main };
	await expect(client(service.router.baseUrl, headers).get('/v1/models')).rejects.toThrow();
	await service.settled();
	expect(service.requests).toMatchObject([{ abandoned: false }]);
});
