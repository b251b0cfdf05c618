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
import { askInTurn, hintPassedOver } from '../modelChoice';
import { readSpendingLabel, spendingLabelOption } from '../spending/spendingLabel.params';
import {
	askPaid,
	createAnswerReader,
	keepMessage,
	type PricedAnswer,
	readStructuredAnswer,
	simplifyAnswer,
} from './pricedAnswer';
import { checkTextRequest } from './chooseText';
import { textOptions, textParams } from './text.params';
import { buildBody, identifyText, type TextRequest, toTextRequest, withModel } from './textRequest';
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
		const { onIncomplete, allowUnknownCost = false, ...others } = options;
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
			simplify,
			onIncomplete,
		};
	},

	identify: identifyText,
	check: checkTextRequest,

	async run(context) {
		const { request, addHint } = context;
		const { structured, protocol } = request;
		try {
			const { answer, maxTokens } = await askChosen(context);
			const notice = noticeOf(answer, maxTokens);
			if (notice) addHint(notice);
			// no format applies to an answer that calls tools and says nothing
			const isCallsOnly = !answer.text && answer.toolCalls.length > 0;
			const outputs =
				structured && !isCallsOnly ? readStructuredAnswer(structured, answer, maxTokens) : [];
			return toItem(answer, protocol, outputs, { ...omitMissing({ notice }), complete: true });
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
	}
>;

/** Asks the models of the request in turn. */
async function askChosen(context: MessageContext) {
	const { request, addHint } = context;
	const { simplify, protocol } = request;
	return await context.payOnce(async (startPaid) => {
		const unlimited = await buildBody(context);
		const { answer, passedOver } = await askInTurn(request.chosen, async ({ model, found }) => {
			return await askPaid(
				{ ...context, http: context.httpOf(model), startPaid },
				{
					body: withModel(unlimited, model),
					found,
					limits: request,
					keep: (given, raw) => ({
						...(!simplify && { raw }),
						...keepMessage(given, raw, protocol),
					}),
				},
			);
		});
		hintPassedOver(addHint, request.findChoice(), passedOver);
		return answer;
	});
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
	const { partial, notice, extras, requestId } = salvaged;
	addHint(notice);
	const more = { ...omitMissing({ requestId }), ...extras, notice, complete: false };
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
	{ raw, ...answer }: PricedAnswer,
	protocol: Protocol,
	outputs: readonly object[],
	more: object,
): ItemOutput {
	const { message, costUsd, costComputed, reservedUsd, durationMs, requestId } = answer;
	const costs = { costUsd, costComputed, reservedUsd, durationMs };
	const facts = omitMissing({ message, ...costs, requestId });
	const all = outputs.length > 1 && { answers: outputs };
	const json = isPlainObject(raw)
		? { output: answer.text, ...outputs[0], ...all, [protocols[protocol].raw]: raw, ...facts }
		: simplifyAnswer(answer, outputs);
	return { json: { ...json, ...more } as IDataObject };
}
