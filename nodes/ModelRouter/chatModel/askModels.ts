import {
	cancelledError,
	determineOutcome,
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
import { countInFlight, trackInFlight } from '../../../src/n8n/startPaid';
import { explainBalance } from '../../../src/router/advice';
import { reserveCall, type CallSpending } from '../../../src/router/callSpending';
import type { ChatRequest } from '../../../src/router/chatCompletions';
import { textCost } from '../../../src/router/pricing';
import type { TextAnswer } from '../../../src/router/textAnswer';
import { protocols } from '../text/protocols';
import { createAnswerReader, readStructuredAnswer, toCostFields } from '../text/textOutput';
import { type ChatModelValues, checkCall, createBodyBuilder } from './callBody';

/** An answer, and what became of the call. */
export interface AnsweredCall {
	answer: TextAnswer;
	/** Of the answer, in micro-dollars. Undefined if it is not known. */
	microUsd: number | undefined;
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
	spending: CallSpending;
	sentRequests: Pick<SentRequests, 'recallCall'>;
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

const isUnstarted = (cause: unknown) =>
	cause instanceof ServiceError &&
	(cause.details.outcome ?? determineOutcome(cause)) === 'not_started';

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
	return (answer: TextAnswer, microUsd: number | undefined) => {
		if (!readAnswer || answer.toolCalls.length) return;
		readStructuredAnswer(readAnswer, { ...answer, ...toCostFields(microUsd) });
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
): Promise<{ answer: TextAnswer; microUsd: number | undefined }> {
	const { values, lookUp, spending, sentRequests, itemIndex, onCost, checkFormat, signal } =
		context;
	const http = signal ? endedBy(signal, context.http) : context.http;
	const { account } = context.connection;
	const { toBody, ask } = protocols[values.options.protocol ?? 'chat'];
	const body = toBody(asked);
	const sent = sentRequests.recallCall(itemIndex, body);
	// throws the earlier failure if the service may have received the call
	sent.earlierResult();
	const { entry, bound } = await checkCall({ lookUp }, asked, body, values);
	const reservation = reserveCall(spending, bound, values.spendingCapPerExecution);
	const settle = (usage: unknown) => {
		const microUsd = textCost(entry?.pricing, usage);
		reservation.settle(microUsd);
		onCost(microUsd);
		return microUsd;
	};
	// known at once to a caller that gives up and asks again
	signal?.addEventListener('abort', () => sent.recordFailure(cancelledError()), { once: true });
	try {
		const answer = await trackInFlight(
			account,
			async () => await ask(http, body as never, onText),
		).catch((cause: unknown) => {
			if (!isUnstarted(cause)) throw withCost(cause, settle(usageOf(cause)));
			reservation.release();
			throw mapServiceError(cause);
		});
		const microUsd = settle(answer.usage);
		checkFormat(answer, microUsd);
		if (!signal?.aborted) sent.forget();
		return { answer, microUsd };
	} catch (cause) {
		sent.recordFailure(cause);
		throw mapServiceError(cause, (error) =>
			explainBalance(error, { body, model: entry, others: countInFlight(account) }),
		);
	}
}

/** A caller that gives up does not pay for the rest of an answer. */
const endedBy = (signal: AbortSignal, http: Http): Http => ({
	...http,
	send: async (request) => await http.send({ ...request, signal }),
});

/** What an answer that broke off has cost, beside what arrived of it. */
const withCost = (cause: unknown, microUsd: number | undefined): unknown =>
	mapServiceError(cause, (error) => {
		const { partial } = error.details;
		return partial
			? withDetails(error, { partial: { ...partial, ...toCostFields(microUsd) } })
			: error;
	});

/** The token counts of an answer that broke off. */
function usageOf(cause: unknown): unknown {
	const partial = cause instanceof ServiceError ? cause.details.partial : undefined;
	return partial && 'usage' in partial ? partial.usage : undefined;
}
