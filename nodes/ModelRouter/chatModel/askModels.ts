import { randomUUID } from 'crypto';

import { mapServiceError } from '../../../src/core/errors';
import { payOnce } from '../../../src/n8n/startPaid';
import type { ChatRequest } from '../../../src/router/chatCompletions';
import { callIdsOf, nameCalls, putBackAnswers } from '../../../src/router/givenAnswers';
import { type ChatMessage, type Modality, modalityNames } from '../../../src/router/messages';
import { findModelChoice } from '../../../src/router/modelLists';
import { type Protocol, protocols } from '../../../src/router/protocols';
import { refusedThoughts, type ThoughtRefusal } from '../../../src/router/thoughtRefusals';
import { withoutLimits } from '../../../src/router/outputLimits';
import type { OnText } from '../../../src/router/textStream';
import { createAnswerReader, type PricedAnswer } from '../text/pricedAnswer';
import { askInTurn, type PassedOver } from '../modelChoice';
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
	/** The models of the list that were passed over, or refused the call, and why. */
	passedOver: PassedOver[];
}

/**
 * Makes a function that asks the model, or those of a list in turn as long as a refusal has certainly started nothing.
 *
 * Before a call is sent, the kind and inputs of the model, the cap per call and the spending of the execution are checked. It is sent once.
 *
 * @returns a function that takes the body of a chat completion and throws ServiceError with an outcome.
 * @throws ServiceError `invalid`.
 */
export function createModelCaller(context: CallContext) {
	const { values, connection, sentRequests, itemIndex } = context;
	const { httpOf, clock, account } = connection;
	const buildBody = createBodyBuilder(values);
	const choice = findModelChoice(values.model, connection.readModelLists);
	const readAnswer = createAnswerReader(values);

	return async (
		asked: Record<string, unknown>,
		onText: OnText,
		signal?: AbortSignal,
	): Promise<AnsweredCall> => {
		const build = (model: string) => buildBody(asked, model);
		const limits = createLimits(values, context.spending);
		// before answers are put back: what is remembered of them changes
		const request = build('');
		const memory = sentRequests.recallCall(itemIndex, withoutLimits({ ...request }), signal);
		return await payOnce(memory, { account, clock }, async (startPaid) => {
			const toBody = (model: string) => protocols[limits.protocol].toBody(build(model));
			const inputs = findModalities(request.messages);
			const chosen = await chooseText(context, choice, { toBody, inputs }, limits);
			const { answer, passedOver } = await askInTurn(chosen, async ({ model, found }) => {
				const of = { memory, startPaid, found, limits, readAnswer, signal, onText };
				return await askOnce({ ...context, ...of, http: httpOf(model) }, build(model));
			});
			return { ...answer, passedOver };
		});
	};
}

/**
 * Asks one model. A conversation that it refuses for thoughts was certainly not carried out, and is sent once more in another form, if there
 * is one. Any other refusal is the error.
 *
 * @throws the first refusal if it refuses both forms for thoughts.
 */
async function askOnce(
	context: OneModel,
	asked: ChatRequest,
): Promise<Omit<AnsweredCall, 'passedOver'>> {
	const { answers, limits } = context;
	const origin = { model: asked.model, protocol: limits.protocol };
	const forms = createForms(context, asked, origin);
	const send = async ({ messages, isToldInWords }: Form) => {
		const { answer, given, maxTokens } = await sendCall(context, { ...asked, messages });
		const { tool_call_id: last = '' } = asked.messages.at(-1) ?? {};
		const resultOf = answers.find(last) && last;
		const named = nameCalls(answer, given, origin, createCallId, resultOf);
		if (answer.toolCalls.length) answers.add(named.remembered);
		else answers.end(asked.messages.flatMap(callIdsOf), named.remembered);
		return { answer: named.answer, maxTokens, isToldInWords };
	};
	return await send(forms.best).catch(async (refusal: unknown) => {
		const other = forms.after(refusedThoughts(refusal));
		if (!other) throw mapServiceError(refusal);
		const answered = await send(other).catch((cause: unknown) => {
			throw mapServiceError(refusedThoughts(cause) ? refusal : cause);
		});
		if (other.learned) context.connection.httpWithoutRetries.serviceFacts?.set(...other.learned);
		return answered;
	});
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
	learned?: [name: string, value: string];
	isToldInWords?: boolean;
}

/** No model: an answer has its text and its calls only. */
const NOBODY = { model: '', protocol: '' };

/**
 * The forms of a conversation: the best has the answers as the model gave them. After a refusal, those that are not its own, or that nobody
 * remembers, are in words; or all of them, if its own are no longer valid. For a model that takes no thoughts back, such as Groq's, they are
 * without what it gave beside its calls.
 */
function createForms(
	{ answers, connection }: CallContext,
	asked: ChatRequest,
	origin: { model: string; protocol: Protocol },
): { best: Form; after(about: ThoughtRefusal | undefined): Form | undefined } {
	const { serviceFacts } = connection.httpWithoutRetries;
	const takes = `answers ${origin.model}`;
	const put = (of: typeof NOBODY, inWords = false, find = answers.find) =>
		putBackAnswers(asked.messages, find, of, inWords);
	const isPlain = serviceFacts?.get(takes) === 'plain';
	const best = put(isPlain ? NOBODY : origin);
	const isOther = (form: ChatMessage[], than = best) =>
		JSON.stringify(form) !== JSON.stringify(than);
	const forms: Partial<Record<ThoughtRefusal, () => Form>> = {
		missing() {
			const messages = put(origin, true);
			const isToldInWords = isOther(messages, put(origin));
			return { messages, isToldInWords, ...(isPlain && { learned: [takes, 'given'] }) };
		},
		invalid: () => ({ messages: put(NOBODY, true, () => undefined), isToldInWords: true }),
		unwanted: () => ({ messages: put(NOBODY), learned: [takes, 'plain'] }),
	};
	return {
		best: { messages: best },
		after(about) {
			const form = about && forms[about]?.();
			return form && isOther(form.messages) ? form : undefined;
		},
	};
}

/** Nine letters and digits: the form that the strictest services ask for. */
const createCallId = () =>
	BigInt(`0x${randomUUID().replace(/-/g, '')}`)
		.toString(36)
		.slice(-9);
