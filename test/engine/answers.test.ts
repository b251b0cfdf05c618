import type { Forms } from '../service/service';
import { agent, assistant, job, model, models, posts, secretsOf } from './rig/calls';
import { run, type RunOptions } from './rig/run';
import { serviceForTests } from './rig/service';

// forms that the specification leaves open come through the nodes; which forms there are is in the tests of the clients
const service = serviceForTests();
type Call = Pick<RunOptions, 'node' | 'parameters' | 'credential'>;
const execute = async (call: Call, more: Partial<RunOptions> = {}) =>
	await run({ ...call, secrets: secretsOf(service), ...more });

const said = expect.stringContaining('Grüße 👋 aus Köln');
const tell = agent({ message: 'Grüße 👋 aus Köln' });
const ask = assistant('ask', { question: 'Grüße 👋 aus Köln' });

it.each<[string, Partial<Forms>, Call, object]>([
	['an agent, as text', { agent: 'text' }, tell, { output: said, format: 'text', complete: true }],
	['an agent, as lines of JSON', { agent: 'ndjson' }, tell, { output: said, format: 'ndjson' }],
	['an assistant, in parts', { assistantBody: 'content-parts' }, ask, { output: said }],
	['an assistant, as text', { assistantBody: 'text' }, ask, { output: said, complete: true }],
	[
		'an assistant, as two messages and an end with nothing',
		{ finish: 'empty', assistantMessages: 2 },
		assistant('askStreaming', { question: 'Grüße 👋 aus Köln' }),
		{ output: said, complete: true, messageIds: [expect.any(String), expect.any(String)] },
	],
	[
		'a model by an ID in another spelling',
		{ entry: 'data' },
		models('get', { model: model('aurora_labs/prism 4-1 turbo') }),
		{ model: 'Aurora-Labs/Prism-4.1-Turbo', inputUsdPerMillionTokens: 3 },
	],
	[
		'a file of a type that only its bytes tell',
		{ contentType: 'application/octet-stream', jobSteps: 0 },
		job('generate', { mediaType: 'music', model: model('tune/melody-1'), prompt: 'x' }),
		{ state: 'completed', file: { mimeType: 'audio/mpeg', bytes: expect.any(Number) } },
	],
])('%s', async (_what, forms, call, json) => {
	Object.assign(service.forms, forms);
	const { items, error } = await execute(call);
	expect(error).toBeUndefined();
	expect(items).toMatchObject([{ json, pairedItem: { item: 0 } }]);
});

it('the items of one session are sent in their order', async () => {
	const sessionId = '6F1C2B1E-8d3a-4c0e-9a55-0d2f6b7c8e90';
	const { items } = await execute(
		agent({ sessionMode: 'id', sessionId, message: '={{ $json.text }}' }),
		{ items: [{ text: 'first' }, { text: 'second' }, { text: 'third' }] },
	);
	expect(items.map(({ json }) => json['output'])).toEqual([
		expect.stringContaining('"first"'),
		expect.stringMatching(/"second".*"first"/s),
		expect.stringMatching(/"third".*"second"/s),
	]);
	expect(items.every(({ json }) => json['sessionId'] === sessionId)).toBe(true);
	expect(service.mostInFlight).toBe(1);
});

it.each(['   ', 'abc', '../x', '6f1c2b1e-8d3a-4c0e-9a55-0d2f6b7c8e9', '={{ undefined }}'])(
	'the session ID "%s" is refused before any request',
	async (sessionId) => {
		const { error } = await execute(agent({ sessionMode: 'id', sessionId, message: 'x' }));
		expect(error?.message).toMatch(/^Session ID (is empty|must be a UUID)/);
		expect(service.requests).toEqual([]);
	},
);

it('the ID of a chat goes back exactly as it came', async () => {
	service.forms.unknownChat = 'accepted';
	const chatId = ' Odd/Id 7 ';
	await execute(assistant('askStreaming', { question: 'x', sessionMode: 'id', chatId }));
	expect(posts(service)[0]?.body).toEqual({ message: 'x', chat_id: chatId });
});
