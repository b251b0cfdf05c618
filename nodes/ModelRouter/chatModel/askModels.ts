import { randomUUID } from 'crypto';

import {
	isBadRequest,
	isUnstarted,
	mapServiceError,
	ServiceError,
	withDetails,
} from '../../../src/core/errors';
import { RateLimiter } from '../../../src/core/rateLimit';
import { withRetries } from '../../../src/core/resend';
import type { ChatRequest } from '../../../src/router/chatCompletions';
import { callIdsOf, nameCalls, putBackAnswers } from '../../../src/router/givenAnswers';
import type { ChatMessage } from '../../../src/router/messages';
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
	/** Whether what nobody remembers of the model was told in words. */
	isToldInWords: boolean | undefined;
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
	const { httpWithoutRetries: http, clock } = connection;
	const retries = { clock, maxRateLimitWait: maxRateLimitWait * 1000 };
	// one per model: a 429 for one must not delay another
	const createClient = () => ({ ...http, ...withRetries(http, new RateLimiter(), retries) });
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
 * Asks one model. A conversation that it refuses was certainly not carried out, and is sent in another form, if there is one.
 *
 * @throws the first refusal if it refuses all of them.
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
	let refusal: unknown;
	for (const { messages, learned, isToldInWords } of formsOf(context, asked, origin)) {
		try {
			const call = { ...context, memory, limits, onText };
			const { answer, given, maxTokens } = await sendCall(call, { ...asked, messages });
			if (learned) context.connection.httpWithoutRetries.serviceFacts?.set(...learned);
			const { tool_call_id: last = '' } = asked.messages.at(-1) ?? {};
			const resultOf = answers.find(last) && last;
			const named = nameCalls(answer, given, origin, createCallId, resultOf);
			if (answer.toolCalls.length) answers.add(named.remembered);
			else answers.end(asked.messages.flatMap(callIdsOf), named.remembered);
			return { answer: named.answer, maxTokens, isToldInWords };
		} catch (cause) {
			if (!isBadRequest(cause)) throw mapServiceError(cause);
			refusal ??= cause;
		}
	}
	throw mapServiceError(refusal);
}

/** A form of a conversation. */
interface Form {
	messages: ChatMessage[];
	/** What is known of the service if it takes this form, and has refused the one before. */
	learned?: readonly [name: string, value: string];
	isToldInWords?: boolean;
}

/** No model: an answer has its text and its calls only. */
const NOBODY = { model: '', protocol: '' };

/**
 * The forms of a conversation, the best first: with the answers as the model gave them, with those that nobody remembers in words, and
 * without what the model gave beside its calls, which Groq does not take back ("property 'reasoning' is unsupported").
 */
function* formsOf(
	{ answers, connection }: CallContext,
	asked: ChatRequest,
	origin: { model: string; protocol: Protocol },
): Generator<Form> {
	const { serviceFacts } = connection.httpWithoutRetries;
	const put = (of: typeof NOBODY, inWords = false) =>
		putBackAnswers(asked.messages, answers.find, of, inWords);
	const takes = `answers ${origin.model}`;
	const [best, other] = serviceFacts?.get(takes) === 'plain' ? [NOBODY, origin] : [origin, NOBODY];
	const messages = put(best);
	yield { messages };
	const isOther = (form: ChatMessage[]) => JSON.stringify(form) !== JSON.stringify(messages);
	const told = put(best, true);
	if (isOther(told)) yield { messages: told, isToldInWords: true };
	const changed = put(other);
	const learned = [takes, other === NOBODY ? 'plain' : 'given'] as const;
	if (isOther(changed)) yield { messages: changed, learned };
}

/** Nine letters and digits: the form that the strictest services ask for. */
const createCallId = () =>
	BigInt(`0x${randomUUID().replace(/-/g, '')}`)
		.toString(36)
		.slice(-9);
