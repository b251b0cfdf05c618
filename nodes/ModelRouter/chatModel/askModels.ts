import { createCap, reserve, type Spending } from '../../../src/core/budget';
import {
	cancelledError,
	mapServiceError,
	ServiceError,
	withDetails,
} from '../../../src/core/errors';
import type { Http } from '../../../src/core/http';
import { RateLimiter } from '../../../src/core/rateLimit';
import { withRetries } from '../../../src/core/resend';
import type { Connection } from '../../../src/n8n/connection';
import type { PreflightContext } from '../../../src/n8n/operation';
import type { SentRequests } from '../../../src/n8n/sentRequests';
import { countInFlight, isUnstarted, sendReserved } from '../../../src/n8n/startPaid';
import type { ChatRequest } from '../../../src/router/chatCompletions';
import type { TextAnswer } from '../../../src/router/textAnswer';
import { protocols } from '../text/protocols';
import { askWithCost, costOfAnswer, limitOutput } from '../text/textCost';
import { createAnswerReader, type PricedAnswer, readStructuredAnswer } from '../text/textOutput';
import { type ChatModelValues, checkCall, createBodyBuilder } from './callBody';

/** An answer, and what became of the call. */
export interface AnsweredCall {
	answer: PricedAnswer;
	/** What the spending caps allowed the answer to have, if nobody set a maximum. */
	maxTokens: number | undefined;
	/** The models that have refused the call before, and why. */
	refusals: Array<{ model: string; reason: string }>;
}

interface CallContext {
	values: ChatModelValues;
	connection: Pick<Connection, 'httpWithoutRetries' | 'clock' | 'account'>;
	/** Seconds. */
	maxRateLimitWait: number;
	lookUp: PreflightContext<never>['lookUp'];
	/** Of the execution. */
	spending: Spending;
	sentRequests: Pick<SentRequests, 'findSentCall'>;
	itemIndex: number;
	/** Called with the cost of an answer, also of one that failed later. */
	onCost(microUsd: number | undefined): void;
}

type OnText = (text: string) => void;

/**
 * Makes a function that asks the model, and where a refusal has certainly started nothing, its fallback models.
 *
 * Every call is checked before it is sent: the kind and inputs of the model, the cap per call, what this execution has spent. It is sent once.
 *
 * @returns a function that takes the body of a chat completion and throws ServiceError with an outcome.
 * @throws ServiceError `invalid`.
 */
export function createModelCaller(context: CallContext) {
	const { values } = context;
	const buildBody = createBodyBuilder(values);
	const fallbacks = values.options.fallbackModels?.fallback ?? [];
	const models = [values.model, ...fallbacks.map(({ model = '' }) => model)]
		.map((model) => model.trim())
		.filter(Boolean)
		.map((model) => ({ model, http: createClient(context) }));
	const checkFormat = createFormatCheck(values);

	return async (
		asked: Record<string, unknown>,
		onText: OnText,
		signal?: AbortSignal,
	): Promise<AnsweredCall> => {
		const refusals: AnsweredCall['refusals'] = [];
		for (const [index, { model, http }] of models.entries()) {
			try {
				const answered = await askOnce(
					{ ...context, checkFormat, http, signal },
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

/** A client for one model: a 429 for it must not keep another model from being asked. */
function createClient({ connection, maxRateLimitWait }: CallContext): Http {
	const { httpWithoutRetries: http, clock } = connection;
	return withRetries(http, new RateLimiter(), {
		clock,
		maxRateLimitWait: maxRateLimitWait * 1000,
	});
}

/**
 * Whether the service has answered a call with a refusal, so that certainly nothing was started. With another key, or after a
 * failure of the network, another model would not help.
 */
function isRefusedUnstarted(cause: unknown): cause is ServiceError {
	if (!(cause instanceof ServiceError) || cause.kind !== 'refused') return false;
	const { status = 0 } = cause.details;
	return isUnstarted(cause) && status >= 400 && status !== 401;
}

/** Names the models that were asked before. */
function withRefusals(error: ServiceError, refusals: AnsweredCall['refusals']): ServiceError {
	if (!refusals.length) return error;
	const said = refusals.map(({ model, reason }) => `${model}: ${reason}`).join('; ');
	const advice = `Before it, these models refused the call: ${said}.`;
	return withDetails(error, { advice: [error.details.advice, advice].filter(Boolean).join(' ') });
}

/** @returns a function that throws ServiceError `schemaMismatch`. An answer that calls tools may have words of its own. */
function createFormatCheck(values: ChatModelValues) {
	const readAnswer = createAnswerReader(values);
	return (answer: TextAnswer, maxTokens: number | undefined) => {
		if (readAnswer && !answer.toolCalls.length) readStructuredAnswer(readAnswer, answer, maxTokens);
	};
}

async function askOnce(
	context: CallContext & {
		http: Http;
		checkFormat: ReturnType<typeof createFormatCheck>;
		signal: AbortSignal | undefined;
	},
	asked: ChatRequest,
	onText: OnText,
): Promise<Omit<AnsweredCall, 'refusals'>> {
	const { values, sentRequests, itemIndex, onCost, checkFormat, signal } = context;
	const { account } = context.connection;
	const http = signal ? endedBy(signal, context.http) : context.http;
	const limits = createLimits(values, context.spending);
	const unlimited = protocols[limits.protocol].toBody(asked);
	// not the limited one: what the caps leave differs when the same is asked again
	const sent = sentRequests.findSentCall(itemIndex, unlimited);
	// throws the earlier failure if the service may have received the call
	sent.earlierResult();
	const found = await checkCall(context, asked, unlimited, limits);
	const model = 'entry' in found ? found.entry : undefined;
	// nothing may be awaited between the two: other calls reserve from the same caps
	const { body, bound, cost } = limitOutput(found, unlimited, limits);
	const reservation = await reserve(limits.caps, bound);
	const costOf = (ended: TextAnswer | ServiceError) => {
		const microUsd = costOfAnswer(ended, model);
		onCost(microUsd);
		return microUsd;
	};
	// known at once to a caller that gives up and asks again
	signal?.addEventListener('abort', () => sent.recordFailure(cancelledError()), { once: true });
	const countOthers = () => countInFlight(account) - 1;
	const asking = { model, onText, countOthers, keepRaw: false };
	try {
		const answer = await sendReserved(
			{ account, reservation, costOf },
			async () => await askWithCost(http, limits.protocol, body, asking),
		);
		checkFormat(answer, cost.maxTokens);
		if (!signal?.aborted) sent.forget();
		return { answer, maxTokens: cost.maxTokens };
	} catch (cause) {
		sent.recordFailure(cause);
		throw mapServiceError(cause);
	}
}

/** What limits a call. */
function createLimits(
	{ spendingCapPerCall, spendingCapPerExecution, options }: ChatModelValues,
	spending: Spending,
) {
	const { protocol = 'chat', allowUnknownCost = false } = options;
	const item = { cap: spendingCapPerCall, field: 'Spending Cap per Call', of: 'call' };
	const execution = { field: 'Spending Cap per Execution', of: 'execution', spending };
	const calls = createCap({ cap: spendingCapPerExecution, ...execution });
	return { protocol, allowUnknownCost, caps: { item: createCap(item), calls } };
}

/** A caller that gives up does not pay for the rest of an answer. */
const endedBy = (signal: AbortSignal, http: Http): Http => ({
	...http,
	send: async (request) => await http.send({ ...request, signal }),
});
