import { randomUUID } from 'crypto';

import { isBadRequest, mapServiceError, type ServiceError } from '../../../src/core/errors';
import { RateLimiter } from '../../../src/core/rateLimit';
import { withRetries } from '../../../src/core/resend';
import { keepPerKey } from '../../../src/n8n/sharedCache';
import type { ChatRequest } from '../../../src/router/chatCompletions';
import { callIdsOf, nameCalls, putBackAnswers } from '../../../src/router/givenAnswers';
import { type ChatMessage, type Modality, modalityNames } from '../../../src/router/messages';
import { findModelChoice } from '../../../src/router/modelLists';
import { type Protocol, protocols } from '../../../src/router/protocols';
import type { OnText } from '../../../src/router/textStream';
import { createAnswerReader, type PricedAnswer } from '../text/pricedAnswer';
import { askInTurn, type Attempt, costsOf, type PassedOver } from '../modelChoice';
import { describeFault, findEmptyFault } from '../text/answerFault';
import { chooseText } from '../text/chooseText';
import { createBodyBuilder } from './chatModel.params';
import { type CallContext, createLimits, type OneModel, sendCall } from './sendCall';

/** An answer, and how it was obtained. */
export interface AnsweredCall {
	answer: PricedAnswer;
	/** The output tokens that the spending caps allowed, if no maximum was set. */
	maxTokens: number | undefined;
	/** Whether what nobody remembers of the model was told in words. */
	isToldInWords: boolean | undefined;
	/** The models that were passed over, or refused the call before, and why. */
	refusals: PassedOver[];
	/** What was paid for, if the answer of a model did not do. */
	attempts: Attempt[];
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
	const { values, connection, maxRateLimitWait, sentRequests, itemIndex } = context;
	const { httpWithoutRetries: http, clock } = connection;
	const retries = { clock, maxRateLimitWait: maxRateLimitWait * 1000 };
	// one per model: a 429 for one must not delay another
	const clientOf = keepPerKey(() => ({
		...http,
		...withRetries(http, new RateLimiter(), retries),
	}));
	const buildBody = createBodyBuilder(values);
	const fallbacks = values.options.fallbackModels?.fallback ?? [];
	const choices = [values.model, ...fallbacks.map(({ model = '' }) => model)]
		.filter((model) => model.trim())
		.map((model) => findModelChoice(model, connection.readModelLists));
	const [first] = choices;
	const only = choices.length > 1 || first?.list ? undefined : first?.models[0];
	const readAnswer = createAnswerReader(values);
	const { escalate = false } = values.options;

	return async (
		asked: Record<string, unknown>,
		onText: OnText,
		signal?: AbortSignal,
	): Promise<AnsweredCall> => {
		const build = (model: string) => buildBody(asked, model);
		const limits = createLimits(values, context.spending);
		// before answers are put back: what is remembered of them changes
		const request = build(only ?? '');
		const recall = (attempt?: string) =>
			sentRequests.recallCall(itemIndex, request, signal, attempt);
		// throws the earlier failure if the service may have received the call
		recall().earlierResult();
		const toBody = (model: string) => protocols[limits.protocol].toBody(build(model));
		const inputs = findModalities(request.messages);
		const chosen = await chooseText(context, choices, { toBody, inputs }, limits);
		let isShown = false;
		const pass: OnText = (text) => {
			isShown ||= text !== '';
			return onText(text);
		};
		const { answer, refusals, attempts } = await askInTurn(chosen.candidates, {
			passedOver: chosen.passedOver,
			async ask({ model, found }) {
				const memory = recall(only === undefined ? model : undefined);
				const of = { memory, found, limits, readAnswer, http: clientOf(model), signal };
				const answered = await askOnce({ ...context, ...of, onText: pass }, build(model));
				return { ...answered, ...costsOf(answered.answer) };
			},
			findFailureFault: (failure) => (escalate && !isShown ? findCallFault(failure) : undefined),
		});
		return { ...answer, refusals, attempts };
	};
}

/** Why an answer gives place to that of the next model: it is empty, or the arguments of its tool calls broke off. */
function findCallFault(failure: ServiceError): string | undefined {
	const { toolCalls = [] } = (failure.details.partial ?? {}) as Partial<PricedAnswer>;
	if (failure.kind === 'schemaMismatch' && toolCalls.length) return describeFault(failure);
	return findEmptyFault(failure);
}

/**
 * Asks one model. A conversation that it refuses was certainly not carried out, and is sent in another form, if there is one.
 *
 * @throws the first refusal if it refuses all of them.
 */
async function askOnce(
	context: OneModel,
	asked: ChatRequest,
): Promise<Omit<AnsweredCall, 'refusals' | 'attempts'>> {
	const { answers, limits } = context;
	const origin = { model: asked.model, protocol: limits.protocol };
	let refusal: unknown;
	for (const { messages, learned, isToldInWords } of formsOf(context, asked, origin)) {
		try {
			const { answer, given, maxTokens } = await sendCall(context, { ...asked, messages });
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

const modalities = Object.keys(modalityNames) as Modality[];

/** By the types of the parts of messages: `image_url`, `input_audio`, `file` and so on. */
const findModalities = (messages: readonly ChatMessage[]): Modality[] =>
	messages
		.flatMap(({ content }) => (Array.isArray(content) ? content : []))
		.flatMap((part) => {
			const { type } = Object(part) as { type?: unknown };
			return modalities.filter((one) => String(type).replace('input_', '').startsWith(one));
		});

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
