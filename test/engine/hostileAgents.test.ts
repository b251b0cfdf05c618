import type { IDataObject, INodeParameters } from 'n8n-workflow';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';

import { searchAgents } from '../../nodes/WorkspaceAgent/agentPicker';
import { listen } from '../service/listen';
import { CARRY_ON, model } from './rig/calls';
import { startDataTables } from './rig/dataTables';
import { pickerOf } from './rig/picker';
import { run } from './rig/run';

// what a stranger's server may say to lead a message or a key elsewhere, or to break the node

const KEY = ['sk', 'hostile', '0123456789abcdef'].join('-');

interface Got {
	path: string;
	body: string;
	headers: IncomingMessage['headers'];
}
type Answer = (got: Got, response: ServerResponse) => void;

/** The server of the credential, and another one that nothing may reach. */
const here: { url: string; base: string; got: Got[]; answer: Answer } = {
	url: '',
	base: '',
	got: [],
	answer: () => {},
};
const elsewhere: { url: string; got: Got[] } = { url: '', got: [] };
const servers: Server[] = [];

async function serve(got: Got[], answer: Answer) {
	const server = createServer((request, response) => {
		void text(request).then((body) => {
			const asked = { path: request.url ?? '', body, headers: request.headers };
			got.push(asked);
			answer(asked, response);
		});
	});
	servers.push(server);
	return `http://127.0.0.1:${await listen(server)}`;
}

beforeAll(async () => {
	here.url = await serve(here.got, (...asked) => here.answer(...asked));
	elsewhere.url = await serve(elsewhere.got, (_, response) => sendJson(response, messageOf('c')));
});
let tests = 0;
beforeEach(() => {
	// how an agent is asked is remembered for each address
	here.base = `${here.url}/${++tests}`;
	here.got.length = 0;
	elsewhere.got.length = 0;
});
// no key leaves its origin, whatever is said
afterEach(() => expect(elsewhere.got).toEqual([]));
afterAll(async () => {
	for (const server of servers) {
		server.closeAllConnections();
		await new Promise((resolve) => server.close(resolve));
	}
});

const sendJson = (response: ServerResponse, body: unknown, status = 200) =>
	void response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
const redirect = (response: ServerResponse, status = 307) =>
	void response.writeHead(status, { location: `${elsewhere.url}/taken` }).end();
/** Far more than is read. */
function sendMuch(response: ServerResponse) {
	response.writeHead(200, { 'content-type': 'application/json' });
	const piece = `"${'x'.repeat(1024 * 1024)}",`;
	response.write('[');
	for (let megabyte = 0; megabyte < 50; megabyte++) response.write(piece);
	response.end('0]');
}

/** An answer of A2A 0.3. */
const messageOf = (contextId: unknown, more: object = {}) => ({
	jsonrpc: '2.0',
	id: '1',
	result: {
		kind: 'message',
		messageId: 'm',
		contextId,
		role: 'agent',
		parts: [{ kind: 'text', text: 'Hello' }],
		...more,
	},
});
const cardAt = (url: unknown) => ({ name: 'Agent', url });
const isFree = ({ path }: Got) => /well-known|(assistants|threads)\/search/.test(path);
const asked = () => here.got.filter((got) => !isFree(got));

const secretsOf = (server: string) => ({
	agentServerApi: { server, baseUrl: here.base, keyIn: 'bearer', apiKey: KEY },
});

async function send(
	server: string,
	parameters: INodeParameters = {},
	item: IDataObject = {},
	data: object = {},
) {
	const { items, failed } = await run({
		node: 'workspaceAgent',
		credential: 'agentServerApi',
		parameters: { agentOf: 'server', messageSource: 'define', message: 'hello', ...parameters },
		secrets: { agentServerApi: { ...secretsOf(server).agentServerApi, ...data } },
		items: [item],
		settings: CARRY_ON,
	});
	expect(JSON.stringify([items, failed])).not.toContain(KEY);
	return { json: items[0]?.json, failed: failed[0]?.json };
}

async function search() {
	const chosen = { credential: 'agentServerApi', parameters: { agentOf: 'server' } };
	const context = pickerOf('workspaceAgent', 'agent', chosen, secretsOf('langGraph'));
	return await searchAgents.call(context);
}

const CARDS: Array<[name: string, card: () => unknown, sentence: RegExp]> = [
	['another port', () => cardAt(`${elsewhere.url}/rpc`), /leads to http:\/\/127/],
	[
		'a user name',
		() => cardAt(`${here.url.replace('//', '//a:b@')}/rpc`),
		/card of the agent leads/,
	],
	[
		'our host as a user name',
		() => cardAt(`${here.url}@${elsewhere.url.slice(7)}/rpc`),
		/leads to/,
	],
	['another protocol', () => cardAt('file:///etc/passwd'), /leads to/],
	['a script', () => cardAt('javascript:alert(1)'), /leads to/],
	['a number', () => cardAt(5), /leads to 5/],
	['a list of lists', () => cardAt([[elsewhere.url]]), /leads to/],
	['an object', () => cardAt({ href: elsewhere.url }), /leads to/],
	['no object', () => 'agent', /names no way of A2A/],
	['null', () => null, /names no way of A2A/],
	[
		'interfaces that are a text',
		() => ({ supportedInterfaces: 'JSONRPC' }),
		/names no way|leads to/,
	],
	['interfaces that are numbers', () => ({ supportedInterfaces: [1, null, [2]] }), /names no way/],
	[
		'a prototype',
		() =>
			JSON.parse(`{"__proto__":{"url":"${elsewhere.url}"},"constructor":{"url":"x"}}`) as unknown,
		/names no way/,
	],
];

it.each(CARDS)('a card with %s leads nowhere, in words', async (_name, card, sentence) => {
	here.answer = (_, response) => sendJson(response, card());
	const { failed } = await send('a2a');
	expect(failed?.['error']).toMatch(sentence);
	expect(failed?.['details']).toMatchObject({ outcome: 'not_started' });
	expect(asked()).toEqual([]);
});

it.each([
	['with two slashes', () => `//${elsewhere.url.slice(7)}/rpc`],
	['with a back slash', () => `/\\${elsewhere.url.slice(7)}/rpc`],
	['with dots', () => '/one/../../rpc'],
	['with encoded dots and slashes', () => '/one/%2e%2e%2f%2e%2e/rpc'],
	['with line breaks', () => '/rpc\r\nX-Other: 1'],
])('a path of a card %s stays at the server', async (_name, path) => {
	here.answer = (got, response) =>
		sendJson(response, isFree(got) ? cardAt(here.url + path()) : messageOf('c'));
	const { json } = await send('a2a');
	expect(json).toMatchObject({ output: 'Hello' });
	expect(asked()).toHaveLength(1);
	expect(asked()[0]?.headers).not.toHaveProperty('x-other');
});

it.each([
	['the card', 'a2a', isFree],
	['the message by A2A', 'a2a', (got: Got) => !isFree(got)],
	['the list', 'langGraph', isFree],
	['the message by LangGraph', 'langGraph', (got: Got) => !isFree(got)],
	['the message by n8n Chat', 'n8nChat', () => true],
])('a redirect of %s is not followed, and told', async (_name, server, isLed) => {
	for (const status of [301, 302, 307, 308]) {
		here.base = `${here.url}/${server}/${status}`;
		here.answer = (got, response) => {
			if (isLed(got)) redirect(response, status);
			else if (server === 'a2a') sendJson(response, cardAt(`${here.url}/rpc`));
			else sendJson(response, [{ assistant_id: 'only', name: 'Only' }]);
		};
		const { failed } = await send(server);
		expect(failed?.['error']).toMatch(/redirect \(30\d\)/);
	}
});

it.each(['a2a', 'langGraph'])('%s: 50 MB in place of a card or a list is told', async (server) => {
	here.answer = (_, response) => sendMuch(response);
	const { failed } = await send(server);
	expect(failed?.['error']).toMatch(/form that cannot be read/);
	expect(JSON.stringify(failed)).toContain('more than 1 MiB');
	if (server === 'langGraph') expect(failed?.['error']).toMatch(/choose By ID/);
	expect(failed?.['details']).toMatchObject({ outcome: 'not_started' });
	expect(JSON.stringify(failed).length).toBeLessThan(5000);
});

it('a list of many agents is cut, its names are plain, and what is no agent is left out', async () => {
	const many = Array.from({ length: 100_000 }, () => 0) as unknown[];
	const agents = [
		{ assistant_id: 'one', name: 'A\u0000\u202e\nB' },
		{ assistant_id: '__proto__', name: 'constructor' },
		{ assistant_id: '../..', name: 'n'.repeat(5000) },
		{ assistant_id: 'line\r\nbreak', name: 'Lines' },
		{ assistant_id: 'i'.repeat(100_000), name: 'Long' },
		{ assistant_id: '', name: 'Empty' },
		{ assistant_id: 'nameless', name: { of: ['it'] } },
		'agent',
		null,
	];
	here.answer = (_, response) => sendJson(response, [...agents, ...many]);
	const { results } = await search();
	expect(results.map(({ value }) => value)).toEqual(['one', '__proto__', '../..', 'nameless']);
	expect(results[0]?.name).toBe('A B');
	expect(results.every(({ name }) => name.length <= 101)).toBe(true);

	here.answer = (_, response) =>
		sendJson(
			response,
			Array.from({ length: 20_000 }, (_each, index) => ({ assistant_id: `a${index}` })),
		);
	expect((await search()).results).toHaveLength(1000);
});

it.each([
	['an object', { '1': { assistant_id: 'x' } }],
	['a text', 'agents'],
	['null', null],
])('what is %s is no list of agents, which says what to do', async (_name, body) => {
	here.answer = (_, response) => sendJson(response, body);
	await expect(search()).rejects.toThrow(/not with a list of agents/);
	const { failed } = await send('langGraph');
	expect(failed).toMatchObject({
		error: expect.stringMatching(/not with a list of agents.*choose By ID/),
		details: { outcome: 'not_started' },
	});
});

it('a list of lists has no agents', async () => {
	here.answer = (_, response) => sendJson(response, [[[['x']]]]);
	expect(await search()).toEqual({ results: [] });
	expect((await send('langGraph')).failed?.['error']).toMatch(/Agent is empty/);
});

it.each([
	['no list', { ok: true }],
	['a page', '<html>'],
])('Dify: where its conversations are %s, nothing is sent', async (_name, body) => {
	here.answer = (_, response) => sendJson(response, body);
	const { failed } = await send('dify', { sessionMode: 'key', sessionKey: 'a' });
	expect(failed).toMatchObject({
		error: expect.stringMatching(/Dify server answered, but not with the conversations/),
		details: { outcome: 'not_started' },
	});
});

it.each([
	['no list', { ok: true }, /not with what waits in this session/],
	['a page', '<html>', /not with what waits in this session/],
	['what is huge', 'x'.repeat(2_000_000), /form that cannot be read/],
])('LangGraph: where what waits is %s, nothing is sent', async (_name, body, reason) => {
	here.answer = (_, response) => sendJson(response, body);
	const sessionId = '6f1c2b1e-8d3a-4c0e-9a55-0d2f6b7c8e90';
	const { failed } = await send('langGraph', {
		agent: model('agent'),
		sessionMode: 'id',
		sessionId,
	});
	expect(failed).toMatchObject({
		error: expect.stringMatching(reason),
		details: { outcome: 'not_started' },
	});
	expect(asked()).toEqual([]);
});

it('LangGraph: what waits in threads of strangers, and what is no question, waits for nothing', async () => {
	const sessionId = '6f1c2b1e-8d3a-4c0e-9a55-0d2f6b7c8e90';
	const others = [
		{ thread_id: 'another', interrupts: { a: [{ id: 'i', value: 'x' }] } },
		{ thread_id: sessionId, interrupts: { a: [null, 7] } },
		{ thread_id: { toString: 'c' }, interrupts: 7 },
		null,
	];
	here.answer = (got, response) => sendJson(response, isFree(got) ? others : { output: 'Hello' });
	const sent = { agent: model('agent'), sessionMode: 'id', sessionId };
	expect((await send('langGraph', sent)).json).toMatchObject({ output: 'Hello' });
});

it.each([
	'..',
	'../../assistants',
	'a/../../b',
	'%2e%2e%2fassistants',
	'a\r\nX-Other: 1',
	'\u0000',
])('LangGraph: the session %j reaches no other path', async (sessionId) => {
	here.answer = (_, response) => sendJson(response, {});
	const { failed } = await send('langGraph', {
		agent: model('agent'),
		sessionMode: 'id',
		sessionId,
	});
	expect(failed?.['error']).toMatch(/Session ID (must not|contains)/);
	expect(here.got).toEqual([]);
});

it.each(['a/b', 'a%2fb', '__proto__', 'constructor', '?x=1', '#x'])(
	'LangGraph: the session %j is one part of the path',
	async (sessionId) => {
		here.answer = (got, response) => sendJson(response, isFree(got) ? [] : { output: 'Hello' });
		await send('langGraph', { agent: model('agent'), sessionMode: 'id', sessionId });
		expect(asked().map(({ path }) => path)).toEqual([
			`/${tests}/threads/${encodeURIComponent(sessionId)}/runs/stream`,
		]);
	},
);

it.each([
	['huge', 'c'.repeat(1_000_000)],
	['with line breaks', 'c\r\nX-Other: 1'],
	['a number', 5],
	['an object', { toString: 'c' }],
])('IDs of an answer that are %s continue nothing', async (_name, id) => {
	here.answer = (got, response) =>
		sendJson(
			response,
			isFree(got)
				? cardAt(`${here.url}/rpc`)
				: messageOf(id, { kind: 'task', id, taskId: id, status: { state: 'input-required' } }),
		);
	const sessionId = '6f1c2b1e-8d3a-4c0e-9a55-0d2f6b7c8e90';
	const { json } = await send('a2a', { sessionMode: 'id', sessionId });
	expect(json).toMatchObject({ sessionId });
	expect(json).not.toHaveProperty('taskId');
});

it('an ID with the key in it is neither shown nor remembered', async () => {
	const tables = await startDataTables();
	here.answer = (got, response) =>
		sendJson(response, isFree(got) ? cardAt(`${here.url}/rpc`) : messageOf(`ctx-${KEY}`));
	const sessionId = '6f1c2b1e-8d3a-4c0e-9a55-0d2f6b7c8e90';
	const { json } = await send('a2a', { sessionMode: 'id', sessionId }, {}, tables.ledgerFields);
	await tables.stop();
	expect(json).toMatchObject({ output: 'Hello' });
	expect(tables.rows).toHaveLength(1);
	expect(JSON.stringify(tables.rows)).not.toContain(KEY);
});

it.each(['__proto__', 'constructor', 'toString'])(
	'the ID %s of an answer is a text as others',
	async (id) => {
		here.answer = (got, response) =>
			sendJson(response, isFree(got) ? cardAt(`${here.url}/rpc`) : messageOf(id));
		const { json } = await send('a2a');
		expect(json).toMatchObject({ output: 'Hello', chatId: id });
		await send('a2a', { sessionMode: 'fromInput' }, json);
		expect(JSON.parse(asked().at(-1)?.body ?? '')).toMatchObject({
			params: { message: { contextId: id } },
		});
	},
);
