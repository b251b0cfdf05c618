import type {
	IDataObject,
	IExecuteFunctions,
	ISupplyDataFunctions,
	SupplyData,
} from 'n8n-workflow';

import { emptySpending } from '../../../src/core/caps';
import { omitMissing, pickPresent } from '../../../src/core/json';
import { createAnswerMemory, type KeptAnswers } from '../../../src/n8n/memory/answerMemory';
import type { Connection } from '../../../src/n8n/connection';
import { connectItems } from '../../../src/n8n/connect';
import { forVisitor, toNodeError } from '../../../src/n8n/errors';
import { type CallFacts, supplyLanguageModel } from '../../../src/n8n/languageModel';
import { requireSdk } from '../../../src/n8n/n8nVersions';
import { addHint } from '../../../src/n8n/hints';
import { createLookUp } from '../../../src/n8n/operationContext';
import { createExecutionState } from '../../../src/n8n/memory/executionMemory';
import { createParamReader } from '../../../src/n8n/parameters';
import { toExecuteContext } from '../../../src/n8n/platform';
import { createRedactor } from '../../../src/n8n/redact';
import { defaultRequestSettings, type RequestSettings } from '../../../src/n8n/requestSettings';
import { createSentRequests } from '../../../src/n8n/memory/sentRequests';
import { replyTextOf } from '../../../src/router/chatReply';
import type { GivenAnswer } from '../../../src/router/givenAnswers';
import { access } from '../access';
import { type AnsweredCall, createModelCaller } from './askModels';
import { chatModelParams, type ChatModelValues } from './chatModel.params';
import { createModelFetch, type AskModel } from './replies';

/**
 * Makes the language model that an AI agent or chain uses.
 *
 * @throws NodeApiError or NodeOperationError.
 */
export async function supplyChatModel(
	context: ISupplyDataFunctions,
	itemIndex: number,
	loadSdk: () => Promise<unknown>,
): Promise<SupplyData> {
	const n8n = toExecuteContext(context);
	const sdk = await requireSdk(context, loadSdk);
	const redact = createRedactor();
	try {
		const values = createParamReader(n8n, chatModelParams)(itemIndex);
		const settings = { ...defaultRequestSettings, ...values.requestSettings };
		const given = { first: itemIndex, count: 1 };
		const { model, options } = values;
		const facts: CallFacts[] = [];
		const calls = new Set<Promise<unknown>>();
		const askTracked: AskModel = async (...call) => {
			const asked = ask(...call).finally(() => calls.delete(asked));
			calls.add(asked);
			return await asked;
		};
		const supply = async () =>
			supplyLanguageModel(context, {
				sdk,
				fetch: createModelFetch(askTracked),
				shownOptions: { model, protocol: options.protocol ?? 'chat' },
				redact,
				facts,
			});
		// the model is made while n8n's database reads the credential
		const [connections, supplied] = await Promise.all([
			connectItems(n8n, access, redact, settings, given),
			supply(),
		]);
		const connection = connections.of(itemIndex);
		const { accounts } = connection;
		const ask = createAsk(n8n, connection, { values, settings, itemIndex, facts });
		return {
			...supplied,
			async closeFunction() {
				await supplied.closeFunction?.();
				// a caller that gives up a call, as after Stop, does not wait until it has ended
				await Promise.allSettled(calls);
				await accounts.close();
			},
		};
	} catch (cause) {
		throw forVisitor(n8n, toNodeError(n8n.getNode(), cause, itemIndex, redact));
	}
}

interface AskOptions {
	values: ChatModelValues;
	settings: RequestSettings;
	itemIndex: number;
	facts: CallFacts[];
}

/** Makes the function that asks the model and records the outcome. Everything that leaves it is redacted. */
function createAsk(
	n8n: IExecuteFunctions,
	connection: Connection,
	{ values, settings, itemIndex, facts }: AskOptions,
): AskModel {
	const { resendIfUnknown } = settings;
	const { redact, isOfItem, scope: owner, baseUrl } = connection;
	const scope = `${owner} ${baseUrl}`;
	const { getState } = createExecutionState(n8n);
	const shown = new Set<string>();
	const callModels = createModelCaller({
		values,
		connection,
		lookUp: createLookUp(n8n, connection),
		ownPrices: connection.ownPrices,
		// an agent asks many times, for the same reason
		addHint(sentence) {
			if (!shown.has(sentence)) addHint(n8n, redact.text(sentence));
			shown.add(sentence);
		},
		spending: getState('budget', emptySpending),
		answers: createAnswerMemory(
			// a model counts its calls anew, so two accounts have calls of one ID
			getState(isOfItem ? `answers ${owner}` : 'answers', noAnswers),
			owner,
			connection,
		),
		sentRequests: createSentRequests(n8n, { scope, resendIfUnknown, redact }),
		itemIndex,
	});
	return async (body, onText, signal) => {
		const stream = redact.stream();
		try {
			const given = await callModels(body, (text) => onText(stream.push(text)), signal);
			const rest = stream.end();
			if (rest) onText(rest);
			const answered = redact.data(given);
			if (answered.notice) addHint(n8n, answered.notice);
			if (answered.isToldInWords) addHint(n8n, TOLD_IN_WORDS);
			facts.push(toFacts(answered));
			return answered.answer;
		} catch (cause) {
			throw forVisitor(n8n, toNodeError(n8n.getNode(), cause, undefined, redact));
		}
	};
}

function toFacts({ answer, tokens, notice, passedOver }: AnsweredCall): CallFacts {
	const { input, output, cached, reasoning: reasoningTokens } = tokens;
	const tokenUsage = input !== undefined &&
		output !== undefined && {
			promptTokens: input,
			completionTokens: output,
			totalTokens: input + output,
			...omitMissing({ cachedTokens: cached, reasoningTokens }),
		};
	return {
		text: replyTextOf(answer),
		...(tokenUsage && { tokenUsage }),
		fields: {
			...pickPresent(answer, TOLD),
			...omitMissing({ notice }),
			...(passedOver.length && { refusedBy: passedOver }),
		} as IDataObject,
	};
}

/** What of an answer is told beside it. */
const TOLD = [
	'model',
	'requestId',
	'costUsd',
	'costComputed',
	'durationMs',
	'costSource',
	'maxCostIsGuess',
	'finishReason',
	'reasoning',
	'refusal',
] as const;

const TOLD_IN_WORDS =
	'The model refused its earlier answers in this chat, because what it gave beside them is no longer known, or no longer valid. It was told about them in words, and the refusal cost nothing';

const noAnswers = (): KeptAnswers<GivenAnswer> => ({ list: [] });
