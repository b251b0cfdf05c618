import type { IDataObject } from 'n8n-workflow';

import { createConversationCap } from '../../../src/core/caps';
import { mapServiceError, withDetails } from '../../../src/core/errors';
import { isPlainObject } from '../../../src/core/json';
import { omitMissing } from '../../../src/core/missing';
import { type ItemOutput, operation } from '../../../src/n8n/operation';
import { onIncompleteOption, partialAnswerOf } from '../../../src/n8n/partialAnswers';
import { type Protocol, protocols } from '../../../src/router/protocols';
import { answerWarning } from '../../../src/router/textAnswer';
import { optionsParam } from '../../fieldKinds.params';
import { allowUnknownCostOption, simplifyParam } from '../acrossResources.params';
import {
	askPaid,
	createAnswerReader,
	keepMessage,
	type PricedAnswer,
	readStructuredAnswer,
	simplifyAnswer,
} from './pricedAnswer';
import { textOptions, textParams } from './text.params';
import { buildBody, checkTextRequest, toTextRequest } from './textRequest';
import { toolChoiceOption, toolsOption } from './tools.params';

export const message = operation({
	name: 'Message a Model',
	value: 'message',
	action: 'Message text model',
	description: 'Send a prompt or messages to a text model and get its answer',
	params: [
		...textParams(
			'An item that could cost more is not sent. The input counts as one token per byte, but not more than the context window; with attachments, as the whole window. The output counts as Maximum Output Tokens; if not set, 4096 to 16384, as the cap allows. If 0, nothing is sent.',
		),
		simplifyParam,
		optionsParam([
			textOptions.additionalFields,
			allowUnknownCostOption,
			textOptions.cacheSystemMessage,
			textOptions.frequencyPenalty,
			textOptions.maxTokens,
			textOptions.answerCount,
			onIncompleteOption,
			textOptions.presencePenalty,
			textOptions.protocol,
			textOptions.reasoningEffort,
			textOptions.seed,
			{
				displayName: 'Stop Sequences (JSON)',
				name: 'stopSequences',
				type: 'json',
				default: '[]',
				description: 'Texts that end the answer, as a JSON list, e.g. ["END"]',
			},
			textOptions.systemMessage,
			textOptions.temperature,
			toolChoiceOption,
			toolsOption,
			textOptions.topP,
		]),
	],

	prepare({ simplify, options, ...values }, { handedOver }) {
		const { onIncomplete = 'error', allowUnknownCost = false, ...more } = options;
		const request = toTextRequest(values, more, handedOver.readTurn('history'));
		const conversation = readConversationCap(handedOver.readTurn('budget'));
		return {
			...request,
			caps: { ...request.caps, conversation },
			allowUnknownCost,
			structured: createAnswerReader(values),
			simplify,
			onIncomplete,
		};
	},

	check: checkTextRequest,

	async run(context) {
		const { request, addHint, countTokens } = context;
		const { structured, simplify } = request;
		const body = await buildBody(context);
		try {
			const { answer, maxTokens } = await askPaid(context, {
				...{ body, limits: request },
				keep: (given, raw) => ({
					...(!simplify && { raw }),
					...keepMessage(given, raw, request.protocol),
				}),
				onCost: (_cost, { input = 0, output = 0 }) => countTokens(input, output),
			});
			const notice = answerWarning(answer, maxTokens);
			if (notice) addHint(notice);
			const callsOnly = !answer.text && answer.toolCalls.length > 0;
			const outputs =
				structured && !callsOnly ? readStructuredAnswer(structured, answer, maxTokens) : [];
			const more = { ...omitMissing({ notice }), complete: true };
			return toItem(answer, request.protocol, outputs, more);
		} catch (cause) {
			const salvaged =
				request.onIncomplete === 'partial' ? partialAnswerOf<PricedAnswer>(cause) : undefined;
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
			return toItem(partial, request.protocol, [], more);
		}
	},
});

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
	const facts = omitMissing({ message, costUsd, costComputed, reservedUsd, durationMs, requestId });
	const all = outputs.length > 1 && { answers: outputs };
	const json = isPlainObject(raw)
		? { output: answer.text, ...outputs[0], ...all, [protocols[protocol].raw]: raw, ...facts }
		: simplifyAnswer(answer, outputs);
	return { json: { ...json, ...more } as IDataObject };
}
