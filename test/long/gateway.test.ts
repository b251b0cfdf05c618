import {
	AGENT,
	calculator,
	callWith,
	runAgent,
	sayOnce,
	TEXT_MODEL,
	withModel,
} from '../n8n/agent.ts';
import { bridgeOfFile, model, nodesFor } from '../n8n/bridge.ts';
import type { SavedCredential } from '../n8n/editor.ts';
import { itemsOf } from '../n8n/execution.ts';
import { workflow } from '../n8n/workflow.ts';
import { PortkeyGateway } from './portkeyGateway.ts';

// the Model Router through a gateway that people run, which says by its own headers where a request goes
const bridge = bridgeOfFile();
let gateway: PortkeyGateway;
beforeAll(async () => (gateway = await PortkeyGateway.start()));
afterAll(async () => await gateway?.stop());

const accountWith = async (headers: Record<string, string>) =>
	await bridge.editor.createCredential({
		name: 'Through the gateway',
		type: 'modelRouterApi',
		data: {
			baseUrl: gateway.url,
			apiKey: bridge.service.router.keys.main,
			...Object.fromEntries(
				Object.entries(headers).flatMap(([name, value], index) => [
					[`additionalHeader${index + 1}Name`, name],
					[`additionalHeader${index + 1}Value`, value],
				]),
			),
		},
	});

const headers = () => ({
	'x-portkey-provider': 'openai',
	'x-portkey-custom-host': `${bridge.service.url}/v1`,
	// else it keeps the key to itself
	'x-portkey-forward-headers': 'x-api-key',
});

/** The gateway does not pass on the catalog, so no price is known. */
const options = { allowUnknownCost: true };

const message = (account: SavedCredential, more = {}) =>
	workflow(
		'gateway',
		[{}],
		nodesFor({ ...bridge.accounts, router: account }).router('Text', ['text', 'message'], {
			model: model(TEXT_MODEL),
			prompt: 'hello',
			options: { ...options, ...more },
		}),
	);

it.each([{}, { protocol: 'responses' }])('a message through it: %j', async (more) => {
	const execution = await bridge.editor.runOnce(message(await accountWith(headers()), more));
	expect(execution.error?.message).toBeUndefined();
	expect(itemsOf(execution, 'Text')[0]?.json['output']).toContain('hello');
	const posted = bridge.service.requests.filter(({ method }) => method === 'POST');
	expect(posted).toMatchObject([
		{ headers: { 'x-api-key': bridge.service.router.keys.main }, status: 200 },
	]);
});

it('an AI Agent with a tool', async () => {
	const account = await accountWith(headers());
	const ours = withModel(bridge, { options }, { account });
	callWith(bridge, 'Calculator', { input: '6*7' });
	sayOnce(bridge, 'It is 42.');
	const attached = [ours, calculator()];
	const execution = await runAgent(bridge, { text: 'How much?', attached });
	expect(execution.error?.message).toBeUndefined();
	expect(itemsOf(execution, AGENT)).toMatchObject([{ json: { output: 'It is 42.' } }]);
});

it('without its headers, the error has the words of the gateway', async () => {
	const { error } = await bridge.editor.runOnce(message(await accountWith({})));
	expect(`${error?.message} ${error?.description}`).toContain(
		'x-portkey-provider header is required',
	);
	expect(bridge.service.requests).toEqual([]);
});
