import { randomUUID } from 'crypto';

import { isUnstarted, mapServiceError, ServiceError, withDetails } from '../../../src/core/errors';
import { RateLimiter } from '../../../src/core/rateLimit';
import { withRetries } from '../../../src/core/resend';
import type { ChatRequest } from '../../../src/router/chatCompletions';
import { callIdsOf, nameCalls, putBackAnswers } from '../../../src/router/givenAnswers';
import type { Protocol } from '../../../src/router/protocols';
import type { OnText } from '../../../src/router/textStream';
import { createAnswerReader, type PricedAnswer } from '../text/pricedAnswer';
import { createBodyBuilder } from './chatModel.params';
import { type CallContext, createLimits, type OneModel, sendCall } from './sendCall';

/** An answer, and how it was obtained. */
export interface AnsweredCall {
	answer: PricedAnswer;
	/** The output tokens that the spending caps allowed, if no maximum was set. */
	maxTokens: number | undefined;
	/** Whether calls that nobody remembers were told in words. */
	isToldInWords?: boolean;
	/** The models that refused the call before, and why. */
	refusals: Array<{ model: string; reason: string }>;
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

/**
 * Asks one model. If it refuses a conversation with calls that nobody remembers, it is asked once more with these in words: a model that
 * thinks wants back what it gave beside its calls. The same for one that does not think, and refuses to give its reasoning.
 */
async function askOnce(
	context: OneModel,
	asked: ChatRequest,
	onText: OnText,
): Promise<Omit<AnsweredCall, 'refusals'>> {
	const { values, sentRequests, answers, itemIndex, signal } = context;
	const limits = createLimits(values, context.spending);
	const origin = { model: asked.model, protocol: limits.protocol };
	// before answers are put back: what is remembered of them changes
	const memory = sentRequests.recallCall(itemIndex, asked, signal);
	// throws the earlier failure if the service may have received the call
	memory.earlierResult();
	const call = { ...context, memory, limits, onText };
	const messages = putBackAnswers(asked.messages, answers.find, origin);
	const include = askForReasoning(context, asked, limits.protocol);
	const first = { ...asked, messages, ...include.field };
	const answered = await sendCall(call, first).catch(async (cause: unknown) => {
		const told = putBackAnswers(asked.messages, answers.find, origin, true);
		const isToldInWords = JSON.stringify(told) !== JSON.stringify(messages);
		if (!isBadRequest(cause) || !(isToldInWords || include.field)) throw mapServiceError(cause);
		const again = await sendCall(call, { ...asked, messages: told }).catch((second: unknown) => {
			throw mapServiceError(isBadRequest(second) ? cause : second);
		});
		if (!isToldInWords) include.recordRefusal();
		return { ...again, isToldInWords };
	});
	const { answer, given, ...rest } = answered;
	if (!answer.toolCalls.length) {
		answers.forget(asked.messages.flatMap(callIdsOf));
		return { answer, ...rest };
	}
	const named = nameCalls(answer, given, origin, createCallId);
	answers.add(named.remembered);
	return { answer: named.answer, ...rest };
}

/** Responses are not stored: only with its encrypted reasoning, a model of that protocol can go on after a call of a tool. */
const REASONING = 'reasoning.encrypted_content';

function askForReasoning(
	{ connection: { httpWithoutRetries } }: CallContext,
	{ model, tools, include }: ChatRequest,
	protocol: Protocol,
) {
	const { serviceFacts } = httpWithoutRetries;
	const fact = `${REASONING} ${model}`;
	const isWanted =
		protocol === 'responses' &&
		Array.isArray(tools) &&
		!serviceFacts?.has(fact) &&
		tools.length > 0;
	const more = Array.isArray(include) ? include.filter((one) => one !== REASONING) : [];
	return {
		field: isWanted ? { include: [...more, REASONING] } : undefined,
		recordRefusal: () => void serviceFacts?.set(fact, 'refused'),
	};
}

const isBadRequest = (cause: unknown) =>
	cause instanceof ServiceError && cause.kind === 'refused' && cause.details.status === 400;

/** Nine letters and digits: the form that the strictest services ask for. */
const createCallId = () =>
	BigInt(`0x${randomUUID().replace(/-/g, '')}`)
		.toString(36)
		.slice(-9);
