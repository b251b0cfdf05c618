import { randomUUID } from 'crypto';

import { createExecutionCap, createRequestCap, type Spending } from '../../../src/core/caps';
import { cancelledError } from '../../../src/core/errors';
import type { Http } from '../../../src/core/http';
import { countInFlight, payOnce, type StartPaid } from '../../../src/core/startPaid';
import type { StructuredReader } from '../../../src/core/structuredAnswer';
import type { Connection } from '../../../src/n8n/connection';
import { withDeadline } from '../../../src/n8n/deadline';
import type { createAnswerMemory } from '../../../src/n8n/memory/answerMemory';
import type { SentRequests } from '../../../src/n8n/memory/sentRequests';
import type { CatalogContext } from '../../../src/paid/catalog';
import { choose, type Ended, type PassedOver, payInTurn, toEnded } from '../../../src/paid/choose';
import { bestForm, type Form, formAfter } from '../../../src/paid/forms';
import { payText, type PaidText } from '../../../src/paid/payText';
import { checkCalls, readStructuredAnswer } from '../../../src/paid/readAnswer';
import { judgeText, type TextCall, withBody } from '../../../src/paid/call';
import type { ChatRequest } from '../../../src/router/chatCompletions';
import { callIdsOf, type GivenAnswer, nameCalls } from '../../../src/router/givenAnswers';
import { type ChatMessage, findModalities } from '../../../src/router/messages';
import { findModelChoice } from '../../../src/core/modelLists';
import { withoutLimits } from '../../../src/router/outputLimits';
import { protocols } from '../../../src/router/protocols';
import type { OnText } from '../../../src/router/textStream';
import { refusedThoughts } from '../../../src/router/thoughtRefusals';
import { readSpendingLabel } from '../acrossResources.params';
import { createAnswerReader } from '../text/textRequest';
import { type ChatModelValues, createBodyBuilder } from './chatModel.params';

/** What the calls of one item's model need. */
interface CallContext extends CatalogContext {
	values: ChatModelValues;
	connection: Connection;
	/** Of the execution. */
	spending: Spending;
	sentRequests: Pick<SentRequests, 'recallCall'>;
	/** Those of the model that call tools. */
	answers: ReturnType<typeof createAnswerMemory<GivenAnswer>>;
	itemIndex: number;
}

/** An answer, and how it was obtained. */
export interface AnsweredCall extends Pick<PaidText, 'answer' | 'tokens' | 'notice'> {
	/** Whether answers that cannot be given back as the model gave them were told in words. */
	isToldInWords: boolean | undefined;
	/** The models of the list that were passed over, or refused the call, and why. */
	passedOver: PassedOver[];
}

/** A call of a chat model. It is judged as an agent has asked it, and sent in one of the forms of its conversation. */
interface ChatCall extends TextCall {
	request: ChatRequest;
}

/**
 * Makes a function that asks the model, or those of a list in turn as long as a refusal has certainly started nothing.
 *
 * Before a call is sent, the kind and inputs of the model, the cap per call and the spending of the execution are checked.
 *
 * @returns a function that takes the body of a chat completion and throws ServiceError with an outcome.
 * @throws ServiceError `invalid`.
 */
export function createModelCaller(context: CallContext) {
	const { values, connection, sentRequests, itemIndex } = context;
	const { clock, account } = connection;
	const buildBody = createBodyBuilder(values);
	const choice = findModelChoice(values.model, connection.readModelLists);
	const readAnswer = createAnswerReader(values);

	return async (
		asked: Record<string, unknown>,
		onText: OnText,
		signal?: AbortSignal,
	): Promise<AnsweredCall> => {
		const limits = createLimits(values, context.spending);
		// before answers are put back: what is remembered of them changes
		const request = buildBody(asked);
		const memory = sentRequests.recallCall(itemIndex, withoutLimits(request), signal);
		const giveUp = () => memory.recordFailure(cancelledError());
		return await payOnce(memory, { account, clock }, async (startPaid) => {
			const chosen = await choose(context, choice, (candidate, isOfList) => {
				const ofModel = { ...request, model: candidate.model };
				const body = protocols[limits.protocol].toBody(ofModel);
				const judged = { ...limits, inputs: findModalities(request.messages) };
				return { ...judgeText(judged, candidate, body, isOfList), request: ofModel };
			});
			if ('refusal' in chosen) throw chosen.refusal;
			const paying = { ...context, startPaid, readAnswer, onText, signal, giveUp };
			const paid = await payInTurn(chosen, async (call) => await payForms(paying, call));
			return { ...paid.answer, passedOver: paid.passedOver };
		});
	};
}

/** The call with its conversation in a form. The same one where nothing is put back: its prompt is measured already. */
function inForm(call: ChatCall, { messages }: Form): ChatCall {
	const { request, protocol } = call;
	const isSame = (message: ChatMessage, at: number) => message === request.messages[at];
	if (messages.length === request.messages.length && messages.every(isSame)) return call;
	return withBody(call, protocols[protocol].toBody({ ...request, messages }));
}

/** What limits a call. */
function createLimits(
	{ spendingCapPerCall, spendingCapPerExecution, options }: ChatModelValues,
	spending: Spending,
) {
	const { protocol = 'chat', allowUnknownCost = false } = options;
	const label = readSpendingLabel(options.spendingLabel);
	const caps = {
		item: createRequestCap('call', spendingCapPerCall),
		execution: createExecutionCap(spendingCapPerExecution, spending),
	};
	return { protocol, allowUnknownCost, label, caps };
}

interface Paying extends CallContext {
	startPaid: StartPaid;
	readAnswer: StructuredReader | undefined;
	onText: OnText;
	signal: AbortSignal | undefined;
	/** To be called when the caller gives up: it may ask again. */
	giveUp(): void;
}

type Answered = Omit<AnsweredCall, 'passedOver'>;

/**
 * Asks one model. A conversation that it refuses for thoughts was certainly not carried out, and is sent once more in another form, if there
 * is one. Any other refusal is the failure.
 *
 * @returns the first refusal if it refuses both forms for thoughts.
 */
async function payForms(context: Paying, call: ChatCall): Promise<Ended<Answered>> {
	const { request, protocol } = call;
	const { model, messages } = request;
	const { serviceFacts } = context.connection.httpWithoutRetries;
	/** Under which it is known how the service takes the answers of the model. */
	const fact = `answers ${model}`;
	const isPlain = serviceFacts.get(fact) === 'plain';
	const conversation = { messages, find: context.answers.find, model, protocol, isPlain };
	const best = bestForm(conversation);
	const ended = await pay(context, call, best);
	if (!('failure' in ended)) return ended;
	const form = formAfter(conversation, best, refusedThoughts(ended.failure));
	if (!form) return ended;
	const second = await pay(context, call, form);
	if ('failure' in second) return refusedThoughts(second.failure) ? ended : second;
	if (form.learned) serviceFacts.set(fact, form.learned);
	return second;
}

async function pay(context: Paying, call: ChatCall, form: Form): Promise<Ended<Answered>> {
	const { connection, startPaid, onText, signal, giveUp } = context;
	const { account, accounts, httpOf, idleTimeout } = connection;
	const http = httpOf(call.model);
	const payment = payText(inForm(call, form), {
		http: signal ? endedBy(signal, http, giveUp) : http,
		accounts,
		startPaid,
		stream: onText,
		countInFlight: () => countInFlight(account),
		async waitForOthers(othersEnd) {
			await withDeadline(othersEnd(), idleTimeout, signal);
			if (signal?.aborted) throw cancelledError(false);
		},
	});
	const paid = await toEnded(payment);
	if ('failure' in paid) return paid;
	return { ...readAnswered(context, call, paid), isToldInWords: form.isToldInWords };
}

/** @throws ServiceError `schemaMismatch` for an answer that is of no use. It is paid for, and the failure is remembered. */
function readAnswered(
	{ answers, readAnswer }: Paying,
	{ request, protocol }: ChatCall,
	{ answer, tokens, maxTokens, given, notice }: PaidText,
): Omit<Answered, 'isToldInWords'> {
	// an answer that calls tools may include other text
	if (answer.toolCalls.length) checkCalls(answer, maxTokens);
	else if (readAnswer) readStructuredAnswer(readAnswer, answer, maxTokens);
	const { tool_call_id: last = '' } = request.messages.at(-1) ?? {};
	const resultOf = answers.find(last) && last;
	const origin = { model: request.model, protocol };
	const named = nameCalls(answer, given, origin, createCallId, resultOf);
	if (answer.toolCalls.length) answers.add(named.remembered);
	else answers.end(request.messages.flatMap(callIdsOf), named.remembered);
	return { answer: named.answer, tokens, notice };
}

/** If a caller gives up, the rest of the answer is not paid for. */
const endedBy = (signal: AbortSignal, http: Http, onGivenUp: () => void): Http => ({
	...http,
	async send(request) {
		signal.addEventListener('abort', onGivenUp, { once: true });
		return await http.send({ ...request, signal });
	},
});

/** Nine letters and digits: the form that the strictest services ask for. */
const createCallId = () =>
	BigInt(`0x${randomUUID().replace(/-/g, '')}`)
		.toString(36)
		.slice(-9);
