import { AsyncLocalStorage } from 'node:async_hooks';
import { Socket } from 'node:net';

import type { ISupplyDataFunctions, SupplyData } from 'n8n-workflow';

import { supplyChatModel } from '../../nodes/ModelRouter/chatModel/supplyChatModel';
import { LmChatModelRouter } from '../../nodes/ModelRouter/LmChatModelRouter.node';
import { posts } from './rig/calls';
import { collect, type LanguageModel, type ModelOptions } from './rig/chatModel';
import { sources, type Pack } from './rig/pack';
import { serviceForTests } from './rig/service';

// Whatever is made of the model, n8n's SDK sends nothing by itself: all connections that follow from a call are looked at. Others of
// this process are not: the tests before may have left something late, such as a record of spending.
const service = serviceForTests();
const { connect } = Socket.prototype as { connect: (...target: unknown[]) => Socket };
const opened = new AsyncLocalStorage<Set<string>>();
let addresses = new Set<string>();
beforeAll(() => {
	Socket.prototype.connect = function (this: Socket, ...target: unknown[]) {
		const { host, port } = [target[0]].flat()[0] as { host?: string; port?: number };
		opened.getStore()?.add(`${host}:${port}`);
		return connect.apply(this, target);
	};
});
beforeEach(() => void (addresses = new Set()));
afterAll(() => void Object.assign(Socket.prototype, { connect }));

/** To where connections were opened. */
const connected = () => [...addresses];
const serviceOnly = () => [new URL(service.url).host];

const ask = async (options: Partial<ModelOptions> & Pick<ModelOptions, 'use'>) =>
	await opened.run(addresses, async () => await service.useModel(options));

/** Members of LangChain's model that n8n's AI nodes and LangChain itself use, beside those of `LanguageModel`. */
interface FullModel extends LanguageModel {
	batch(asked: string[]): Promise<unknown>;
	withStructuredOutput(schema: object, options: object): LanguageModel;
	bindTools(tools: object[], options?: object): FullModel;
	withConfig(config: object): FullModel;
	completions: LanguageModel;
	responses: LanguageModel;
}

const tools = [{ type: 'function', function: { name: 'look', parameters: { type: 'object' } } }];
const stop = { stop: ['b'] };

it.each<[string, (model: FullModel) => Promise<unknown>]>([
	['the model', async (model) => await model.invoke('Hello')],
	['the model, as a stream', async (model) => await collect(model.stream('Hello'))],
	['the model, in a batch', async (model) => await model.batch(['Hello'])],
	[
		'with tools and settings',
		async (model) => await model.bindTools(tools).withConfig(stop).invoke('Hello'),
	],
	[
		'with settings and tools, as a stream',
		async (model) => await collect(model.withConfig(stop).bindTools(tools).stream('Hello')),
	],
	[
		'with a structured answer',
		async (model) => {
			const schema = { title: 'answer', type: 'object', properties: {} };
			const options = { method: 'jsonSchema', includeRaw: true };
			return await model.withStructuredOutput(schema, options).invoke('Hello');
		},
	],
	['its client for chat completions', async (model) => await model.completions.invoke('Hello')],
])('all that is made of the model asks the service alone, once: %s', async (_what, use) => {
	const { error } = await ask({ use: async (model) => await use(model as FullModel) });
	expect(error).toBeUndefined();
	expect(posts(service)).toHaveLength(1);
	expect(connected()).toEqual(serviceOnly());
});

it.each<[string, (model: FullModel) => Promise<unknown>]>([
	['its client for responses', async (model) => await model.responses.invoke('Hello')],
	[
		'a tool that runs at OpenAI',
		async (model) => await model.bindTools([{ type: 'web_search_preview' }]).invoke('Hello'),
	],
])('%s is refused, and nothing is sent', async (_what, use) => {
	const { error } = await ask({ use: async (model) => await use(model as FullModel) });
	expect(error?.message).toContain('asked for something that only OpenAI offers');
	expect(service.requests).toEqual([]);
	expect(connected()).toEqual([]);
});

interface SdkModel {
	fields?: { configuration: { baseURL: string } };
	clientConfig?: object;
	completions?: object;
	withConfig(config: object): SdkModel;
	bindTools(tools: object[]): SdkModel;
}
interface Sdk {
	supplyModel(n8n: ISupplyDataFunctions, options: object): { response: SdkModel };
}
const loadReal = async () => (await import('@n8n/ai-node-sdk')) as unknown as Sdk;

/** The pack, whose chat model is made otherwise. */
function packWith(supplyData: LmChatModelRouter['supplyData']): Pack {
	const made = Object.assign(new LmChatModelRouter(), { supplyData });
	const type = 'n8n-nodes-agent-bridge.lmChatModelRouter';
	const byName: Pack['nodeTypes']['getByNameAndVersion'] = (name, version) =>
		name === type ? made : sources.nodeTypes.getByNameAndVersion(name, version);
	return {
		...sources,
		nodeTypes: { ...sources.nodeTypes, getByName: byName, getByNameAndVersion: byName },
	};
}

const withSdk = (loadSdk: () => Promise<unknown>) =>
	packWith(async function (this: ISupplyDataFunctions, itemIndex) {
		return await supplyChatModel(this, itemIndex, loadSdk);
	});

/** The real SDK, whose models are changed. */
const withChanged = (change: (model: SdkModel, make: () => SdkModel) => void) =>
	withSdk(async () => {
		const real = await loadReal();
		const supplyModel: Sdk['supplyModel'] = (n8n, options) => {
			const supplied = real.supplyModel(n8n, options);
			change(supplied.response, () => real.supplyModel(n8n, options).response);
			return supplied;
		};
		return { supplyModel };
	});

it('a connection that the SDK opens by itself is seen here', async () => {
	const pack = packWith(async function (this: ISupplyDataFunctions) {
		const { supplyModel } = await loadReal();
		const baseUrl = 'https://router.invalid/v1';
		const options = { type: 'openai', model: 'm', apiKey: 'k', baseUrl };
		return supplyModel(this, options) as SupplyData;
	});
	const { error } = await ask({ pack, use: async (model) => await model.invoke('Hello') });
	expect(error).toBeDefined();
	expect(connected()).toContain('router.invalid:443');
});

describe('nothing is sent', () => {
	const refusal = async (pack: Pack) => {
		const { error } = await ask({ pack, use: async (model) => await model.invoke('Hello') });
		expect(service.requests).toEqual([]);
		expect(connected()).toEqual([]);
		return error;
	};

	it.each([
		['no SDK', () => Promise.reject(new Error("Cannot find module '@n8n/ai-node-sdk'"))],
		['an SDK without models', () => Promise.resolve({ AI_NODE_SDK_VERSION: 1 })],
	])('where n8n has %s', async (_what, loadSdk) => {
		const error = await refusal(withSdk(loadSdk));
		expect(error?.message).toBe('This node needs n8n 2.22.6 or newer');
	});

	it('where the SDK is newer than n8n', async () => {
		const supplyModel = () => {
			throw new TypeError('ctx.helpers.getSecureEgressFilter is not a function');
		};
		const error = await refusal(withSdk(async () => await Promise.resolve({ supplyModel })));
		expect(error?.message).toBe(
			'The SDK for chat models is not compatible with this version of n8n',
		);
		expect(error?.description).toContain('getSecureEgressFilter');
	});

	it.each<[string, (model: SdkModel, make: () => SdkModel) => void]>([
		['keeps its settings elsewhere', (model) => delete model.fields],
		['has no client for chat completions', (model) => (model.withConfig = () => ({ ...model }))],
		['forgets its settings', (model, make) => (model.withConfig = () => make())],
		[
			'forgets its settings when it is made anew the second time',
			(model, make) => {
				const once = model.withConfig.bind(model);
				model.withConfig = (config) => Object.assign(once(config), { withConfig: () => make() });
			},
		],
		[
			'forgets its settings when it gets tools',
			(model, make) => {
				const once = model.withConfig.bind(model);
				model.withConfig = (config) => Object.assign(once(config), { bindTools: () => make() });
			},
		],
	])('by a model that %s', async (_what, change) => {
		const error = await refusal(withChanged(change));
		expect(error?.message).toBe('The requests of this chat model cannot be guarded');
	});

	it('an SDK is looked at once, however often it is imported', async () => {
		const real = await loadReal();
		let looks = 0;
		const supplyModel: Sdk['supplyModel'] = (n8n, options) => {
			const supplied = real.supplyModel(n8n, options);
			const { response: model } = supplied;
			const withConfig = model.withConfig.bind(model);
			model.withConfig = (config) => {
				const made = withConfig(config);
				const bindTools = made.bindTools.bind(made);
				return Object.assign(made, {
					bindTools(tools: object[]) {
						looks++;
						return bindTools(tools);
					},
				});
			};
			return supplied;
		};
		const pack = withSdk(async () => await Promise.resolve({ supplyModel }));
		for (let runs = 0; runs < 2; runs++)
			await ask({ pack, use: async (model) => await model.invoke('Hello') });
		expect(looks).toBe(1);
	});

	it('is not said of the SDK as it is', async () => {
		const pack = withChanged(() => undefined);
		const { error } = await ask({ pack, use: async (model) => await model.invoke('Hello') });
		expect(error).toBeUndefined();
	});
});
