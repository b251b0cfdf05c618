import { createCap, type Spending } from '../../../src/core/budget';
import {
	cancelledError,
	isUnstarted,
	mapServiceError,
	ServiceError,
	withDetails,
} from '../../../src/core/errors';
import type { Http } from '../../../src/core/http';
import { isPlainObject } from '../../../src/core/json';
import { RateLimiter } from '../../../src/core/rateLimit';
import { createStructuredReader, type StructuredReader } from '../../../src/core/structuredAnswer';
import { withRetries } from '../../../src/core/resend';
import type { Connection } from '../../../src/n8n/connection';
import type { PreflightContext } from '../../../src/n8n/operation';
import type { SentRequests } from '../../../src/n8n/sentRequests';
import { countInFlight, startPaid } from '../../../src/n8n/startPaid';
import type { ChatRequest } from '../../../src/router/chatCompletions';
import type { Modality } from '../../../src/router/messages';
import { protocols } from '../../../src/router/protocols';
import { stringOrEmpty } from '../../../src/router/textAnswer';
import type { OnText } from '../../../src/router/textStream';
import {
	askPaid,
	createAnswerReader,
	type PricedAnswer,
	readStructuredAnswer,
} from '../text/pricedAnswer';
import { NOT_CHECKED } from '../catalog';
import { checkText } from '../text/textRequest';
import { type ChatModelValues, createBodyBuilder } from './chatModel.params';

/** An answer, and how it was obtained. */
export interface AnsweredCall {
	answer: PricedAnswer;
	/** The output tokens that the spending caps allowed, if no maximum was set. */
	maxTokens: number | undefined;
	/** The models that refused the call before, and why. */
	refusals: Array<{ model: string; reason: string }>;
}

interface CallContext {
	values: ChatModelValues;
	connection: Pick<Connection, 'httpWithoutRetries' | 'clock' | 'account' | 'accounts'>;
	/** Seconds. */
	maxRateLimitWait: number;
	lookUp: PreflightContext<never>['lookUp'];
	/** Of the execution. */
	spending: Spending;
	sentRequests: Pick<SentRequests, 'recallCall'>;
	itemIndex: number;
	/** Called with the cost of each answer, including those that failed later. */
	onCost(microUsd: number | undefined): void;
}

/**
 * Makes a function that asks the model, and if a refusal certainly started nothing, its fallback models.
 *
 * Before a call is sent, the kind and inputs of the model, the cap per call and the spending of the execution are checked. It is sent once.
 *
 * @returns a function that takes the body of a chat completion and throws ServiceError with an outcome.
 * @throws ServiceError `invalid`.
 */
export function createModelCaller(context: CallContext) {
	const { values, connection, maxRateLimitWait } = context;
	const retries = { clock: connection.clock, maxRateLimitWait: maxRateLimitWait * 1000 };
	// one per model: a 429 for one must not delay another
	const createClient = () => withRetries(connection.httpWithoutRetries, new RateLimiter(), retries);
	const buildBody = createBodyBuilder(values);
	const fallbacks = values.options.fallbackModels?.fallback ?? [];
	const models = [values.model, ...fallbacks.map(({ model = '' }) => model)]
		.map((model) => model.trim())
		.filter(Boolean)
		.map((model) => ({ model, http: createClient() }));
	const readAnswer = createAnswerReader(values);

	return async (
		asked: Record<string, unknown>,
		onText: OnText,
		signal?: AbortSignal,
	): Promise<AnsweredCall> => {
		const refusals: AnsweredCall['refusals'] = [];
		for (const [index, { model, http }] of models.entries()) {
			try {
				const answered = await askOnce(
					{ ...context, readAnswer, http, signal },
					buildBody(asked, model),
					onText,
				);
				return { ...answered, refusals };
			} catch (cause) {
				if (index === models.length - 1 || !isRefusedUnstarted(cause))
					throw mapServiceError(cause, (error) => withRefusals(error, refusals));
				refusals.push({ model, reason: cause.message });
			}
		}
		throw new Error('There is no model');
	};
}

/**
 * Whether the service refused a call, so that certainly nothing was started. Another model would not help if the key was refused or the
 * network failed.
 */
function isRefusedUnstarted(cause: unknown): cause is ServiceError {
	if (!(cause instanceof ServiceError) || cause.kind !== 'refused') return false;
	const { status = 0 } = cause.details;
	return isUnstarted(cause) && status >= 400 && status !== 401;
}

/** Adds the models that were asked before to the advice. */
function withRefusals(error: ServiceError, refusals: AnsweredCall['refusals']): ServiceError {
	if (!refusals.length) return error;
	const reasons = refusals.map(({ model, reason }) => `${model}: ${reason}`).join('; ');
	const advice = `Before it, these models refused the call: ${reasons}.`;
	return withDetails(error, { advice: [error.details.advice, advice].filter(Boolean).join(' ') });
}

async function askOnce(
	context: CallContext & {
		http: Http;
		readAnswer: StructuredReader | undefined;
		signal: AbortSignal | undefined;
	},
	asked: ChatRequest,
	onText: OnText,
): Promise<Omit<AnsweredCall, 'refusals'>> {
	const { values, sentRequests, itemIndex, lookUp, onCost, readAnswer, signal } = context;
	const { account, accounts, clock } = context.connection;
	const limits = createLimits(values, context.spending);
	const body = protocols[limits.protocol].toBody(asked);
	const memory = sentRequests.recallCall(itemIndex, body, signal);
	// throws the earlier failure if the service may have received the call
	memory.earlierResult();
	await checkText({ lookUp }, { body, inputs: findModalities(asked.messages) }, limits);
	const giveUp = () => memory.recordFailure(cancelledError());
	return await askPaid(
		{
			http: signal ? endedBy(signal, context.http, giveUp) : context.http,
			...{ accounts, stream: onText, countInFlight: () => countInFlight(account) },
			startPaid: async (start) => await startPaid(start, { account, clock, recall: () => memory }),
		},
		{
			...{ body, limits, onCost },
			checkAnswer(answer, maxTokens) {
				// an answer that calls tools may include other text
				const read = answer.toolCalls.length ? createCallReader(answer) : readAnswer;
				if (read) readStructuredAnswer(read, answer, maxTokens);
			},
		},
	);
}

/** LangChain completes arguments that break off, and an agent would run its tool with half of an order. */
const createCallReader = ({ toolCalls }: PricedAnswer): StructuredReader => {
	const texts = toolCalls.map(({ arguments: given }) => stringOrEmpty(given).trim() || '{}');
	return () => texts.map(readJson).find((result) => 'reason' in result) ?? { value: {} };
};
const readJson = createStructuredReader();

/** The modality of a message part, by its type in chat completions. */
const MODALITY_BY_TYPE: Record<string, Modality> = {
	image_url: 'image',
	input_audio: 'audio',
	audio_url: 'audio',
	video_url: 'video',
	file: 'file',
};

function findModalities(messages: ChatRequest['messages']): Modality[] {
	const parts = messages.flatMap(({ content }) => (Array.isArray(content) ? content : []));
	return parts.flatMap((part) => {
		const type = isPlainObject(part) ? part['type'] : undefined;
		const modality = typeof type === 'string' ? MODALITY_BY_TYPE[type] : undefined;
		return modality ? [modality] : [];
	});
}

/** What limits a call. */
function createLimits(
	{ spendingCapPerCall, spendingCapPerExecution, options }: ChatModelValues,
	spending: Spending,
) {
	const { protocol = 'chat', allowUnknownCost = false } = options;
	const item = { cap: spendingCapPerCall, field: 'Spending Cap per Call (USD)', of: 'call' };
	const execution = { field: 'Spending Cap per Execution (USD)', of: 'execution', spending };
	const calls = createCap({ cap: spendingCapPerExecution, ...execution });
	const caps = { item: createCap(item), calls };
	return { found: NOT_CHECKED, protocol, allowUnknownCost, caps };
}

/** If a caller gives up, the rest of the answer is not paid for. @param onGivenUp Called at once: the caller may ask again. */
const endedBy = (signal: AbortSignal, http: Http, onGivenUp: () => void): Http => ({
	...http,
	async send(request) {
		signal.addEventListener('abort', onGivenUp, { once: true });
		return await http.send({ ...request, signal });
	},
});
