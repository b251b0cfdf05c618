import { rowOf } from '../service/modelServices/rows.ts';
import { KEY, standIn, type Standing } from '../service/modelServices/stand.ts';
import { AGENT, calculator, callsOf, runAgent, TEXT_MODEL, withModel } from '../n8n/agent.ts';
import {
	type Accounts,
	bridgeOfFile,
	messages,
	model,
	modelsListedBy,
	nodesFor,
} from '../n8n/bridge.ts';
import { type Execution, itemsOf } from '../n8n/execution.ts';
import { workflow } from '../n8n/workflow.ts';
import { PortkeyGateway } from './portkeyGateway.ts';

// a gateway that people run, between the Model Router and a service whose key they have: it is told by headers of its own
// where requests go, and passes on the key as it came
const bridge = bridgeOfFile();
const OPEN_AI = rowOf('OpenAI');
const [MINI, NANO] = OPEN_AI.answering;

let gateway: PortkeyGateway;
let openAi: Standing;
beforeAll(async () => {
	openAi = await standIn(OPEN_AI);
	gateway = await PortkeyGateway.start();
});
afterAll(async () => {
	await gateway?.stop();
	await openAi?.stop();
});

const toOpenAi = () => ({
	'x-portkey-provider': 'openai',
	'x-portkey-custom-host': openAi.baseUrl,
});

interface Entered {
	keyIn?: string;
	headers?: Record<string, string>;
	apiKey?: string;
}

/** What a user enters: the key of the service, and the prices of its models in dollars per million tokens. */
const accountWith = async ({
	keyIn = 'bearer',
	headers = toOpenAi(),
	apiKey = KEY,
}: Entered = {}) =>
	await bridge.editor.createCredential({
		name: 'Through the gateway',
		type: 'modelRouterApi',
		data: {
			baseUrl: gateway.url,
			keyIn,
			apiKey,
			ownPrices: `${MINI} 1 2\n${NANO} 10 20`,
			...Object.fromEntries(
				Object.entries(headers).flatMap(([name, value], index) => [
					[`additionalHeader${index + 1}Name`, name],
					[`additionalHeader${index + 1}Value`, value],
				]),
			),
		},
	});

/** The account as that of the router. */
const accountsWith = async (entered?: Entered): Promise<Accounts> => ({
	...bridge.accounts,
	router: await accountWith(entered),
});

async function ask(content: string, { more = {}, ...entered }: Entered & { more?: object } = {}) {
	const before = openAi.asked.length;
	const node = nodesFor(await accountsWith(entered)).router('Text', ['text', 'message'], {
		model: model(MINI),
		...messages(content),
		...more,
	});
	const execution = await bridge.editor.runOnce(workflow('gateway', [{}], node));
	const posts = openAi.asked.slice(before).filter(({ method }) => method === 'POST');
	return { execution, posts, json: itemsOf(execution, 'Text')[0]?.json };
}

const told = ({ error }: Execution) => `${error?.message} ${error?.description}`;

it('a text has the cost that the lines of the credential give', async () => {
	const { json, posts, execution } = await ask('hello');
	const answer = { output: 'Hello from OpenAI', costUsd: 0.0012, costSource: 'credential' };
	expect(json ?? execution.error).toMatchObject(answer);
	expect(posts.at(-1)).toMatchObject({
		status: 200,
		headers: { authorization: `Bearer ${KEY}` },
		body: { model: MINI, stream_options: { include_usage: true } },
	});
});

it('an AI Agent calls a tool, and each answer has its cost', async () => {
	const ours = withModel({ ...bridge, accounts: await accountsWith() }, { model: model(MINI) });
	const execution = await runAgent(bridge, { text: '6*7', attached: [ours, calculator()] });
	expect(execution.error?.message).toBeUndefined();
	expect(itemsOf(execution, AGENT)[0]?.json['output']).toMatch(/^The tool said /);
	expect(callsOf(execution).map(({ json }) => json?.['costUsd'])).toEqual([0.0012, 0.0012]);
});

it('the credential test proves the key', async () => {
	const right = await bridge.editor.testCredential(await accountWith());
	expect(right).toMatchObject({ status: 'OK', message: expect.stringMatching(/accepted the key/) });
	const wrong = await bridge.editor.testCredential(await accountWith({ apiKey: `${KEY}-wrong` }));
	expect(wrong).toMatchObject({ status: 'Error', message: expect.stringMatching(/API key/) });
	expect(JSON.stringify([right, wrong])).not.toContain(KEY);
});

it('the model picker has the models of the service', async () => {
	const listed = await modelsListedBy('modelRouter', {
		...bridge,
		accounts: await accountsWith(),
	});
	expect(listed).toContain(MINI);
});

it('a used up quota behind it is called so, and nothing is sent again', async () => {
	await ask('hello');
	const { execution, posts } = await ask('[[broke]]');
	expect(told(execution)).toMatch(/is used up \(429\)/);
	expect(posts).toHaveLength(1);
});

it('an answer of the model that it falls back to costs what the dearer of both does', async () => {
	const target = { provider: 'openai', api_key: KEY, custom_host: openAi.baseUrl };
	const config = {
		strategy: { mode: 'fallback' },
		targets: [
			{ ...target, override_params: { model: 'no-such-model' } },
			{ ...target, override_params: { model: NANO } },
		],
	};
	const headers = { 'x-portkey-config': JSON.stringify(config) };
	const { json, execution } = await ask('hello', { headers });
	expect(json ?? execution.error).toMatchObject({
		model: OPEN_AI.answersAs?.[NANO ?? ''],
		costUsd: 0.012,
	});
});

it('without its headers, the error has the words of the gateway', async () => {
	const { execution, posts } = await ask('hello', { headers: {} });
	expect(told(execution)).toContain('x-portkey-provider header is required');
	expect(posts).toEqual([]);
});

it.each([{}, { protocol: 'responses' }])(
	'a key in a header that it is told to pass on reaches the specified router: %j',
	async (options) => {
		const { main } = bridge.service.router.keys;
		const headers = {
			'x-portkey-provider': 'openai',
			'x-portkey-custom-host': `${bridge.service.url}/v1`,
			// else it keeps the key to itself
			'x-portkey-forward-headers': 'x-api-key',
		};
		const more = { model: model(TEXT_MODEL), options };
		const { json, execution } = await ask('hello', {
			keyIn: 'automatic',
			apiKey: main,
			headers,
			more,
		});
		expect(json?.['output'] ?? execution.error).toContain('hello');
		const posted = bridge.service.requests.filter(({ method }) => method === 'POST');
		expect(posted).toMatchObject([{ headers: { 'x-api-key': main }, status: 200 }]);
	},
);
