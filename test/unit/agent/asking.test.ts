import { explain, fill, toAskRequest, toRequest } from '../../../src/agent/asking';
import { findWay, wayIn } from '../../../src/agent/cards';
import { toMessages } from '../../../src/agent/history';
import type { AgentServer, RequestForm } from '../../../src/agent/server';
import { createIdReader } from '../../../src/agent/serverIds';
import { serverOf } from '../../../src/agent/servers';
import { refusedRequestError } from '../../../src/core/errorResponses';
import { BEARER, keyPlaceIn } from '../../../src/core/keyPlace';
import { inMemory, json } from '../inMemoryHttp';
import recorded from './requests.json';

// what the frameworks' own clients sent to a server on loopback, and what the rows of the table make: recordings.md says how

interface Sent {
	source: string;
	server: string;
	case: string;
	method: string;
	path: string;
	/** Those that the client sets itself. A browser's own, and the type of JSON, are left out. */
	headers: Record<string, string | undefined>;
	/** What the agent had said of itself. */
	card?: object;
	body?: object;
}

const requests: Sent[] = recorded;

/** Of a message. Of the card, and of the lists, the transport decides what it accepts. */
const OF_A_MESSAGE = {
	accept: 'the reader recognizes every form, so one header names them all',
};
const OF_JSON_RPC = {
	...OF_A_MESSAGE,
	'body.id': 'its own counter; every request has one of its own',
};

const OF_AG_UI = {
	...OF_A_MESSAGE,
	'body.protocolVersion':
		'absent, 1.0 is meant, and servers before 1.0 refuse what they do not know',
};

const OF_DIFY = { ...OF_A_MESSAGE, 'body.files': 'null: there are none' };

const OF_A_RUN = {
	...OF_A_MESSAGE,
	'body.multitask_strategy': "without it, LangChain's own servers queue a second message",
};

/** What differs, and why it may: by the place in the request. */
const DIFFERENCES: Record<string, Record<string, string>> = {
	'@a2a-js/sdk 1.3.0 card': {
		'a2a-version': 'a card is answered whatever the version: 0.3.14 asks without it',
	},
	'@a2a-js/sdk 1.3.0 streamed': OF_JSON_RPC,
	'@a2a-js/sdk 1.3.0 in a task': OF_JSON_RPC,
	'@a2a-js/sdk 1.3.0 not streamed': OF_JSON_RPC,
	'@a2a-js/sdk 1.3.0 of 0.3, streamed': {
		...OF_JSON_RPC,
		'a2a-version': 'without it, 0.3 is meant: 0.3.14 has no such header',
		'body.params.configuration.acceptedOutputModes': 'an empty list, which 0.3.14 leaves out',
	},
	'@a2a-js/sdk 1.3.0 of 0.3, not streamed': {
		...OF_JSON_RPC,
		'a2a-version': 'without it, 0.3 is meant: 0.3.14 has no such header',
		'body.params.configuration.acceptedOutputModes': 'an empty list, which 0.3.14 leaves out',
	},
	'@a2a-js/sdk 0.3.14 streamed': OF_JSON_RPC,
	'@a2a-js/sdk 0.3.14 in a task': OF_JSON_RPC,
	'@a2a-js/sdk 0.3.14 not streamed': OF_JSON_RPC,
	'@langchain/langgraph-sdk 1.15.0 streamed': OF_A_RUN,
	'@langchain/langgraph-sdk 1.15.0 a decision': OF_A_RUN,
	'@langchain/langgraph-sdk 1.15.0 search what waits': {
		'body.offset': '0 is what the server takes',
	},
	'@langchain/langgraph-sdk 1.15.0 search': { 'body.offset': '0 is what the server takes' },
	'@n8n/chat 1.37.0 not streamed': OF_A_MESSAGE,
	'@n8n/chat 1.37.0 streamed': OF_A_MESSAGE,
	'@ag-ui/client 1.0.0 streamed': OF_AG_UI,
	'@ag-ui/client 1.0.0 with history': OF_AG_UI,
	'@ag-ui/client 1.0.0 a decision': OF_AG_UI,
	'@ag-ui/client 1.0.0 a refusal': OF_AG_UI,
	'ai 7.0.173 streamed': OF_A_MESSAGE,
	'ai 7.0.173 with history': OF_A_MESSAGE,
	'openai 7.57.0 streamed': OF_A_MESSAGE,
	'openai 7.57.0 in a chat': OF_A_MESSAGE,
	'openai 7.57.0 a decision': OF_A_MESSAGE,
	'dify-client 2.3.2 streamed': OF_DIFY,
	'dify-client 2.3.2 in a chat': OF_DIFY,
};

const SESSION = '6f1c2b1e-8d3a-4c0e-9a55-0d2f6b7c8e90';

/** The request of the row in the place of a client's. */
async function ours({ case: what, card }: Sent, server: AgentServer) {
	const newId = () => (server.value === 'agUi' ? 'run1' : 'm1');
	const { agents, approvals } = server;
	const free: Record<string, RequestForm | undefined> = {
		search: agents,
		find: server.finds,
		'search what waits': approvals?.find,
	};
	if (free[what]) {
		const request = toRequest(free[what], { session: SESSION }, newId);
		return { headers: {}, body: undefined, ...request };
	}
	const http = inMemory(json(card));
	const way = await findWay(http, server, 'https://agent.example.com');
	if (what === 'card') return { headers: {}, body: undefined, ...http.requests[0]! };
	const chat = /^(in a chat|a decision)$/.test(what) ? 'c1' : undefined;
	const task = what === 'in a task' ? 't1' : undefined;
	const [question, answer] = [
		{ role: 'user', text: 'the question', id: 'm1' },
		{ role: 'agent', text: 'the answer', id: 'm9' },
	] as const;
	const next = { role: 'user', text: 'the next question', id: 'm2' } as const;
	const said = what === 'with history' ? [question, answer, next] : [question];
	const history = toMessages(server, said, newId);
	const resume = { i1: true };
	const ids = { session: SESSION, agent: 'agent', task, chat };
	const asking = what === 'a decision' && approvals ? { ask: approvals.answer } : way;
	const decided = what === 'a decision' ? 'approve' : what === 'a refusal' ? 'decline' : undefined;
	const entry = decided && server.decides?.each[decided];
	const decisions = entry ? [fill(entry, { task: 't1' }, newId)] : undefined;
	const values = { message: 'the question', ...ids, resume, decisions, history };
	return { headers: {}, body: undefined, ...toAskRequest(asking, values, newId) };
}

/** Every field with its path: `params.message.role`. */
function fieldsOf(value: unknown, path: string): Array<[path: string, value: unknown]> {
	const isLeaf = typeof value !== 'object' || value === null || !Object.keys(value).length;
	if (isLeaf) return [[path, value]];
	return Object.entries(value).flatMap(([name, field]) => fieldsOf(field, `${path}.${name}`));
}

it.each(requests.map((sent) => [`${sent.source} ${sent.case}`, sent] as const))(
	'%s: the row asks as this client does',
	async (name, sent) => {
		const server = serverOf(sent.server)!;
		const { method, path, headers = {}, body } = await ours(sent, server);
		const { accept, 'x-api-key': key, ...others } = sent.headers;
		// the one that has the key is the credential's
		if (key) expect(keyPlaceIn(server.keyIn, BEARER)?.header).toMatch(/^x-api-key$/i);
		const lowered = Object.entries(headers).map(([header, value]) => [header.toLowerCase(), value]);
		// of some, the whole address is what a user enters
		expect([method, path || sent.path]).toEqual([sent.method, sent.path]);

		const isMessage = !/^(card|search|find)/.test(sent.case);
		const theirs = [...Object.entries({ ...others, ...(isMessage && { accept }) })];
		const asTheyDo = new Map([...theirs, ...fieldsOf(sent.body, 'body')]);
		const asWeDo = new Map([...lowered, ...fieldsOf(body, 'body')] as Array<[string, unknown]>);
		const places = [...new Set([...asTheyDo.keys(), ...asWeDo.keys()])];
		const different = places.filter((place) => {
			const [one, other] = [asTheyDo.get(place), asWeDo.get(place)];
			return JSON.stringify(one) !== JSON.stringify(other);
		});
		expect(different.sort()).toEqual(Object.keys(DIFFERENCES[name] ?? {}).sort());
	},
);

const A2A_SERVER = serverOf('a2a')!;
const OWN = 'https://agent.example.com';
const at = (host: string, protocolVersion: string) => ({
	url: `${host}/${protocolVersion}`,
	protocolBinding: 'JSONRPC',
	protocolVersion,
});

it.each<[string, object, string]>([
	[
		'the main address, of which another one is elsewhere',
		{
			url: `${OWN}/main`,
			preferredTransport: 'JSONRPC',
			additionalInterfaces: [{ url: 'https://elsewhere.example.com/rpc', transport: 'JSONRPC' }],
		},
		'/main',
	],
	[
		'another address, where the main one is elsewhere',
		{
			url: 'https://elsewhere.example.com/rpc',
			additionalInterfaces: [{ url: `${OWN}/more`, transport: 'JSONRPC' }],
		},
		'/more',
	],
	[
		'an older version, where the newer one is elsewhere',
		{ supportedInterfaces: [at('https://elsewhere.example.com', '1.0'), at(OWN, '0.3')] },
		'/0.3',
	],
	[
		'one that is in small letters',
		{ supportedInterfaces: [{ ...at(OWN, '1.0'), protocolBinding: 'jsonrpc' }] },
		'/1.0',
	],
	['an older one in small letters', { url: `${OWN}/main`, preferredTransport: 'jsonrpc' }, '/main'],
	['the newer version', { supportedInterfaces: [at(OWN, '0.3'), at(OWN, '1.0')] }, '/1.0'],
])(
	'of the addresses in a card, one at the server of the credential counts: %s',
	(_, card, path) => {
		expect(wayIn(card, A2A_SERVER, OWN).cardPath).toBe(path);
	},
);

it('an error of JSON-RPC beside a result refuses nothing', () => {
	const error = { code: -32602, message: 'no' };
	const { read } = createIdReader(A2A_SERVER);
	expect(() => read({ jsonrpc: '2.0', error, result: { kind: 'message' } })).not.toThrow();
	expect(() => createIdReader(A2A_SERVER).read({ jsonrpc: '2.0', error })).toThrow();
});

const BUSY =
	'Thread is already running a task. Wait for it to finish or choose a different multitask strategy.';

it.each([
	['@langchain/langgraph-api 1.5.1', 422, BUSY],
	["LangChain's own servers", 409, JSON.stringify({ detail: BUSY })],
])('a thread that is busy was sent nothing: %s', (_, status, body) => {
	const response = { status, headers: {}, body: (async function* () {})() };
	const error = explain(refusedRequestError(response, body), serverOf('langGraph')!);
	expect(error.message).toMatch(/still answers another message of this session/);
	expect(error.details.outcome).toBe('not_started');
});

it.each([
	['ag_ui_langgraph', { value: 'May I?', rawEvent: { id: 'i', value: 'May I?' } }, 'i'],
	['ag_ui_crewai', { value: { id: 'i', message: 'May I?' } }, 'i'],
	['both', { value: { question: 'May I?' }, rawEvent: { id: 'i', value: 'May I?' } }, 'i'],
	['another event', { name: 'other', value: { id: 'i' } }, undefined],
	['nobody', { value: { message: 'May I?' } }, undefined],
])('AG-UI: the ID of what waits, as %s tells it', (_name, event, task) => {
	const { read, ids } = createIdReader(serverOf('agUi')!);
	read({ type: 'CUSTOM', name: 'on_interrupt', ...event });
	expect(ids.task).toBe(task);
});

it.each([{ id: 'i' }, {}])('AG-UI: what a run ends with replaces what waited: %j', (value) => {
	const { read, ids } = createIdReader(serverOf('agUi')!);
	read({ type: 'CUSTOM', name: 'on_interrupt', value });
	read({ type: 'RUN_FINISHED', outcome: { type: 'interrupt', interrupts: [{ id: 'j' }] } });
	expect(ids.task).toBe('j');
	read({ type: 'RUN_FINISHED' });
	expect(ids.task).toBe('j');
});

it('an event of a response has no ID by which it goes on', async () => {
	const { read, ids } = createIdReader(serverOf('responses')!);
	read({
		type: 'response.created',
		response: { object: 'response', id: 'r1', status: 'completed' },
	});
	read({ id: 'evt_5', delta: 'a' });
	expect(ids).toEqual({ chat: 'r1' });
});

it.each([[{}], [{ id: 7 }], [{ id: 'a,b' }]])(
	'what was asked is not decided without its ID: %j',
	(without) => {
		const interrupts = [{ id: 'i' }, without];
		const { read: ofAgUi, ids } = createIdReader(serverOf('agUi')!);
		ofAgUi({ type: 'RUN_FINISHED', outcome: { type: 'interrupt', interrupts } });
		const { read: ofGraph, ids: others } = createIdReader(serverOf('langGraph')!);
		ofGraph({ __interrupt__: interrupts });
		expect([ids.task, others.task]).toEqual([undefined, undefined]);
	},
);

const asksOf = (id: string) => [
	{ type: 'RUN_STARTED' },
	{ type: 'TEXT_MESSAGE_START', messageId: `of ${id}` },
	{ type: 'RUN_FINISHED', outcome: { type: 'interrupt', interrupts: [{ id }] } },
];

it.each([
	['one event after another', [...asksOf('i'), ...asksOf('j')]],
	['a list of events', [[...asksOf('i'), ...asksOf('j')]]],
])('AG-UI: the IDs of the last run in a stream count: %s', (_name, given) => {
	const { read, ids } = createIdReader(serverOf('agUi')!);
	given.forEach(read);
	expect(ids).toEqual({ message: 'of j', task: 'j' });
});
