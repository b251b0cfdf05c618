import type { IDataObject } from 'n8n-workflow';

import { createConversationCap } from '../../../src/core/caps';
import { mapServiceError, withDetails } from '../../../src/core/errors';
import { isPlainObject } from '../../../src/core/json';
import { omitMissing } from '../../../src/core/missing';
import type { StructuredReader } from '../../../src/core/structuredAnswer';
import { type ItemOutput, operation, type OperationContext } from '../../../src/n8n/operation';
import { onIncompleteOption, partialAnswerOf } from '../../../src/n8n/partialAnswers';
import { type Protocol, protocols } from '../../../src/router/protocols';
import { noticeOf } from '../../../src/router/textAnswer';
import { optionsParam } from '../../fieldKinds.params';
import { allowUnknownCostOption, simplifyParam } from '../acrossResources.params';
import {
	askedFirst,
	askInTurn,
	type Attempt,
	costsOf,
	hintPassedOver,
	isOfList,
	sumAttempts,
	withAttempts,
} from '../modelChoice';
import { readSpendingLabel, spendingLabelOption } from '../spending/spendingLabel.params';
import {
	askPaid,
	createAnswerReader,
	keepMessage,
	type PricedAnswer,
	readStructuredAnswer,
	simplifyAnswer,
} from './pricedAnswer';
import { findAnswerFault, findEmptyFault, isCallsOnly } from './answerFault';
import { checkTextRequest } from './chooseText';
import { escalateOption, textOptions, textParams } from './text.params';
import { buildBody, type TextRequest, toTextRequest, withModel } from './textRequest';
import { toolChoiceOption, toolsOption } from './tools.params';

export const message = operation({
	name: 'Message a Model',
	value: 'message',
	action: 'Message text model',
	description: 'Send a prompt or messages to a text model and get its answer',
	params: [
		...textParams(
			'An item that could cost more is not sent; with 0, none. The input counts as one token per byte, with attachments as the whole context window.',
		),
		simplifyParam,
		optionsParam([
			textOptions.additionalFields,
			allowUnknownCostOption,
			textOptions.cacheSystemMessage,
			escalateOption,
			textOptions.maxTokens,
			onIncompleteOption,
			textOptions.protocol,
			textOptions.reasoningEffort,
			spendingLabelOption,
			{
				displayName: 'Stop Sequences (JSON)',
				name: 'stopSequences',
				type: 'json',
				default: '[]',
				description: 'Texts that end the answer, e.g. ["END"]',
			},
			textOptions.temperature,
			toolChoiceOption,
			toolsOption,
		]),
	],

	prepare({ simplify, options, ...values }, surroundings) {
		const { onIncomplete, allowUnknownCost = false, escalate = false, ...others } = options;
		const { spendingLabel, ...more } = others;
		const request = toTextRequest(values, more, surroundings);
		const { handedOver } = surroundings;
		const conversation = readConversationCap(handedOver.readTurn('budget'));
		return {
			...request,
			caps: { ...request.caps, conversation },
			allowUnknownCost,
			label: readSpendingLabel(spendingLabel, handedOver.readTurn('spendingLabel')),
			structured: createAnswerReader(values),
			...{ simplify, onIncomplete, escalate },
		};
	},

	check: checkTextRequest,

	async run(context) {
		const { request, addHint } = context;
		const { structured, protocol } = request;
		try {
			const { answer: asked, attempts, refusals } = await askChosen(context);
			hintPassedOver(addHint, request.choices, refusals);
			const { maxTokens, answer } = asked;
			const notice = noticeOf(answer, maxTokens);
			if (notice) addHint(notice);
			const read = isCallsOnly(answer) ? undefined : structured;
			const outputs = read
				? withAttempts(attempts, () => readStructuredAnswer(read, answer, maxTokens))
				: [];
			const more = { ...omitMissing({ notice }), complete: true };
			return toItem(withTotal(answer, attempts), protocol, outputs, more);
		} catch (cause) {
			return salvage(request, cause, addHint);
		}
	},
});

type MessageContext = OperationContext<
	TextRequest & {
		allowUnknownCost: boolean;
		structured: StructuredReader | undefined;
		simplify: boolean;
		escalate: boolean;
	}
>;

/** Asks the models of the request in turn. With Escalate, an answer is shown live once it does. */
async function askChosen(context: MessageContext) {
	const { request, stream } = context;
	const { structured, simplify, escalate } = request;
	const unlimited = await buildBody(context);
	const isRemembered = isOfList(request.choices);
	const made = isRemembered ? context.findAttempts(withModel(unlimited, '')) : [];
	const candidates = askedFirst(request.chosen.candidates, made);
	const isJudged = escalate && candidates.length > 1;
	const asked = await askInTurn(candidates, {
		passedOver: request.chosen.passedOver,
		async ask({ model, found }) {
			const live = isJudged ? { ...context, stream: async () => undefined } : context;
			const asked = await askPaid(live, {
				...{ body: withModel(unlimited, model), found, limits: request },
				...(isRemembered && { attempt: model }),
				keep: (given, raw) => ({
					...(!simplify && { raw }),
					...keepMessage(given, raw, request.protocol),
				}),
			});
			return { ...asked, ...costsOf(asked.answer) };
		},
		findFault: isJudged
			? ({ answer, maxTokens }) => findAnswerFault(answer, maxTokens, structured)
			: undefined,
		findFailureFault: isJudged ? findEmptyFault : undefined,
	});
	if (isJudged && !asked.attempts.at(-1)?.reason) await stream(asked.answer.answer.text);
	return asked;
}

/** An answer with the attempts before it, and the cost of all. */
function withTotal(answer: PricedAnswer, attempts: readonly Attempt[]) {
	return attempts.length ? { ...sumAttempts(attempts, answer), attempts } : answer;
}

/** The part of an answer that broke off as an item, where the user wants it. @throws ServiceError otherwise. */
function salvage(
	{ onIncomplete, protocol }: { onIncomplete: string | undefined; protocol: Protocol },
	cause: unknown,
	addHint: (sentence: string) => void,
): ItemOutput {
	const salvaged = onIncomplete === 'partial' && partialAnswerOf<PricedAnswer>(cause);
	if (!salvaged)
		throw mapServiceError(cause, (error) => {
			const { partial } = error.details;
			if (!partial) return error;
			return withDetails(error, {
				partial: omitMissing({ ...partial, raw: undefined, message: undefined }),
			});
		});
	const { partial, notice, extras, requestId, computed } = salvaged;
	addHint(notice);
	const { attempts } = computed;
	const more = { ...omitMissing({ requestId, attempts }), ...extras, notice, complete: false };
	return toItem(partial, protocol, [], more);
}

/** The spending cap of the conversation in which the node speaks. */
function readConversationCap(budget: unknown) {
	const { cap, spent } = isPlainObject(budget) ? budget : {};
	return typeof cap === 'number' && typeof spent === 'number'
		? createConversationCap(cap, spent)
		: undefined;
}

/** @param outputs Of a structured answer. @param more Placed after the fields of the answer. */
function toItem(
	{ raw, ...answer }: PricedAnswer & { attempts?: readonly Attempt[] },
	protocol: Protocol,
	outputs: readonly object[],
	more: object,
): ItemOutput {
	const { message, costUsd, costComputed, reservedUsd, durationMs, requestId, attempts } = answer;
	const costs = { costUsd, costComputed, reservedUsd, durationMs };
	const facts = omitMissing({ message, ...costs, requestId, attempts });
	const all = outputs.length > 1 && { answers: outputs };
	const json = isPlainObject(raw)
		? { output: answer.text, ...outputs[0], ...all, [protocols[protocol].raw]: raw, ...facts }
		: simplifyAnswer(answer, outputs);
	return { json: { ...json, ...more } as IDataObject };
}
