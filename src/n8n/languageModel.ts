import {
	type IDataObject,
	type INodeExecutionData,
	type ISupplyDataFunctions,
	NodeConnectionTypes,
	type SupplyData,
} from 'n8n-workflow';

import { messageOf } from '../core/errors';
import { type AiNodeSdk, subNodeError } from './n8nVersions';
import type { Redactor } from './redact';

/*
 * The language model that n8n's AI nodes use. n8n's SDK makes it from LangChain's client for chat completions, which converts messages and
 * tools. It sends nothing: its `fetch` is ours, and it knows neither the address of the service nor the key.
 */

/** Takes a request of LangChain's client for chat completions. */
export type ModelFetch = (
	address: unknown,
	init?: { body?: unknown; signal?: AbortSignal | null },
) => Promise<Response>;

/** What the output of the node says about one call, beside its text. */
export interface CallFacts {
	/** The text of the answer, by which n8n's output is recognized. */
	text: string;
	/** Replaces n8n's estimate. */
	tokenUsage?: IDataObject;
	/** Further fields of the output. */
	fields: IDataObject;
}

interface LanguageModelOptions {
	sdk: AiNodeSdk;
	fetch: ModelFetch;
	/** What the node's input shows as the options of each call. */
	shownOptions: IDataObject;
	/** For the prompts that the input shows. */
	redact: Pick<Redactor, 'data'>;
	/** The facts of the calls that are answered, in the order of the answers. Those that the output has are removed. */
	facts: CallFacts[];
}

/** An address that never leads anywhere: the client would send to it if it did not use our `fetch`. */
const NO_ADDRESS = 'https://model-router.invalid/v1';
const NO_KEY = 'the-key-is-not-here';
/** A name without a meaning for LangChain, which sends some models to another endpoint, and renames fields for others. */
const ANY_MODEL = 'model-router';
/** Milliseconds, the longest that a timer takes. Our own limits apply. */
const NO_TIMEOUT = 2 ** 31 - 1;

/**
 * Makes a language model all of whose requests go through our `fetch`.
 *
 * @throws NodeOperationError if the SDK does not fit this n8n, or its requests cannot be guarded.
 */
export function supplyLanguageModel(
	n8n: ISupplyDataFunctions,
	{ sdk, fetch, ...shown }: LanguageModelOptions,
): SupplyData {
	const { response, ...rest } = callSdk(n8n, () =>
		sdk.supplyModel(withFacts(n8n, shown), {
			type: 'openai',
			baseUrl: NO_ADDRESS,
			apiKey: NO_KEY,
			model: ANY_MODEL,
			// each call decides by itself what may be sent again
			maxRetries: 0,
			timeout: NO_TIMEOUT,
			onFailedAttempt(error: unknown) {
				const failure = findCallFailure(error);
				if (failure) throw failure;
			},
		}),
	);
	const guarded = guardRequests(sdk.supplyModel, response as SdkModel, fetch);
	if (!guarded) throw unguardedError(n8n);
	return { ...rest, response: Object.assign(guarded, { getNumTokens: estimateTokens }) };
}

/**
 * LangChain's own fallback. LangChain would first download a table, for which n8n waits more than a minute if there is no internet, and
 * which is for another model.
 *
 * @param content A text, or the parts of a message.
 * @see @langchain/core 1.2.8, language_models/base.cjs:195
 */
async function estimateTokens(content: unknown): Promise<number> {
	const parts = Array.isArray(content)
		? (content as Array<string | { text?: unknown }>)
		: [content];
	const texts = parts.map((part) =>
		typeof part === 'object' && part !== null && 'text' in part ? part.text : part,
	);
	return Math.ceil(texts.filter((text) => typeof text === 'string').join('').length / 4);
}

/** An SDK that was installed next to this package may call functions that this n8n does not have. */
function callSdk<Made>(n8n: ISupplyDataFunctions, call: () => Made): Made {
	try {
		return call();
	} catch (cause) {
		throw subNodeError(
			n8n,
			'The SDK for chat models is not compatible with this version of n8n',
			`Nothing was sent. If the SDK was installed next to this package (node_modules/@n8n/ai-node-sdk), remove it: n8n has its own. Otherwise, update n8n. The SDK says: ${messageOf(cause)}`,
		);
	}
}

const unguardedError = (n8n: ISupplyDataFunctions) =>
	subNodeError(
		n8n,
		'The requests of this chat model cannot be guarded',
		'Nothing was sent. The SDK for chat models in this n8n works differently from what this package expects, and could send the API key to another host. Use an older n8n, or a newer version of this package.',
	);

/** LangChain's model, as far as it is used. It has a client for each protocol. */
interface SdkModel {
	/** What the model was made from, and all models that are made from it: with tools, or with other settings. */
	fields?: { configuration?: ClientConfig };
	completions?: ProtocolClient;
	responses?: ProtocolClient;
	withConfig?(config: object): SdkModel;
	bindTools?(tools: object[]): SdkModel;
}

interface ClientConfig {
	fetch?: ModelFetch;
	logLevel?: string;
}

interface ProtocolClient {
	/** What sends the requests. */
	client?: ClientConfig & { maxRetries?: number };
	/** Makes `client`. */
	_getClientOptions?(options: object): unknown;
}

/**
 * Gives our `fetch` to a model, and to all that are made from it.
 *
 * Seen: `fields`, `withConfig` and `bindTools`, @langchain/openai 1.4.4 (n8n 2.22.6 and 2.41.1),
 * dist/chat_models/index.cjs; `_getClientOptions` and `client`, base.cjs; `fetch`, `maxRetries` and `logLevel`, openai 6.9.0 and 6.49.0,
 * client.js.
 *
 * @returns undefined unless every client of the model, and of one made of it, sends with our `fetch`, and once. It is looked at once for each SDK.
 */
function guardRequests(
	supplyModel: AiNodeSdk['supplyModel'],
	model: SdkModel,
	fetch: ModelFetch,
): SdkModel | undefined {
	const { configuration } = model.fields ?? {};
	if (!configuration || typeof model.withConfig !== 'function') return undefined;
	configuration.fetch = fetch;
	// with OPENAI_LOG=debug in the environment, the client writes every prompt into n8n's log
	configuration.logLevel = 'off';
	const guarded = model.withConfig({});
	if (guardedSdks.has(supplyModel)) return guarded;
	const made = [guarded, guarded.withConfig?.({}), guarded.bindTools?.([])];
	if (!made.every((each) => sendsWith(each, fetch))) return undefined;
	guardedSdks.add(supplyModel);
	return guarded;
}

/**
 * Those whose models were seen to send with our `fetch`: to look takes as long as to make the model. By their function, since each import
 * of a module gives another object.
 */
const guardedSdks = new WeakSet<AiNodeSdk['supplyModel']>();

const sendsWith = (model: SdkModel | undefined, fetch: ModelFetch): boolean =>
	[model?.completions, model?.responses].every((protocol) => {
		protocol?._getClientOptions?.({});
		return protocol?.client?.fetch === fetch && protocol.client.maxRetries === 0;
	});

/** A failure on its way through LangChain, which replaces the message of an error that seems familiar to it. */
export class CallFailure extends Error {
	override readonly name = 'CallFailure';
	readonly failure: Error;

	constructor(failure: Error) {
		super('The call failed');
		this.failure = failure;
	}
}

/** The failure that our `fetch` has thrown, which the client wraps as a `cause`. */
function findCallFailure(error: unknown): Error | undefined {
	let at = error;
	for (let depth = 0; at instanceof Error && depth < 6; depth++) {
		if (at instanceof CallFailure) return at.failure;
		at = at.cause;
	}
	return undefined;
}

/**
 * The same context, which adds to what n8n writes into the input and the output of the node: it knows LangChain's settings only, and
 * estimates the tokens where LangChain loses the counts.
 *
 * @see @n8n/ai-utilities 0.34.1, utils/n8n-llm-tracing.js
 */
function withFacts(
	n8n: ISupplyDataFunctions,
	{ shownOptions, redact, facts }: Pick<LanguageModelOptions, 'shownOptions' | 'redact' | 'facts'>,
): ISupplyDataFunctions {
	const addInputData: ISupplyDataFunctions['addInputData'] = (type, data, ...more) =>
		n8n.addInputData(
			type,
			mapItems(data, ({ json }) => ({ json: redact.data({ ...json, options: shownOptions }) })),
			...more,
		);
	const addOutputData: ISupplyDataFunctions['addOutputData'] = (type, index, data, ...more) => {
		const isAnswer = type === NodeConnectionTypes.AiLanguageModel;
		const shown = isAnswer ? mapItems(data, (item) => addFacts(item, facts)) : data;
		n8n.addOutputData(type, index, shown, ...more);
	};
	return Object.create(n8n, {
		addInputData: { value: addInputData },
		addOutputData: { value: addOutputData },
	}) as ISupplyDataFunctions;
}

function mapItems<Data>(data: Data, map: (item: INodeExecutionData) => INodeExecutionData): Data {
	if (!Array.isArray(data)) return data;
	return (data as INodeExecutionData[][]).map((items) => items.map(map)) as Data;
}

/** Several calls may be answered at the same time: the text tells which answer an output is. */
function addFacts(item: INodeExecutionData, facts: CallFacts[]): INodeExecutionData {
	const text = findText(item.json);
	const index = Math.max(
		0,
		facts.findIndex((call) => call.text === text),
	);
	const [call] = facts.splice(index, 1);
	if (!call) return item;
	const { tokenUsageEstimate, ...json } = item.json;
	const counts = call.tokenUsage
		? { tokenUsage: call.tokenUsage }
		: tokenUsageEstimate && { tokenUsageEstimate };
	return { ...item, json: { ...json, ...counts, ...call.fields } };
}

function findText(json: IDataObject): unknown {
	const { response } = json as { response?: { generations?: Array<Array<{ text?: unknown }>> } };
	return response?.generations?.[0]?.[0]?.text;
}
