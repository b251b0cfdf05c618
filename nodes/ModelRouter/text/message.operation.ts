import type { IDataObject } from 'n8n-workflow';

import { createCap, createConversationCap, reserve } from '../../../src/core/budget';
import { mapServiceError, withDetails } from '../../../src/core/errors';
import { isPlainObject } from '../../../src/core/json';
import { readTokenCounts } from '../../../src/core/tokenCounts';
import { type ItemOutput, operation, type OperationContext } from '../../../src/n8n/operation';
import { onIncompleteOption, partialAnswerOf } from '../../../src/n8n/partialAnswers';
import { answerWarning } from '../../../src/router/textAnswer';
import { findCachedModel } from '../catalog';
import { allowUnknownCostOption, simplifyParam } from '../acrossResources.params';
import { buildBody, checkTextRequest, type PaidTextRequest, toTextRequest } from './textRequest';
import { protocolOption, protocols } from './protocols';
import { askWithCost, costOfAnswer, limitOutput } from './textCost';
import {
	additionalFieldsOption,
	answerCountOption,
	frequencyPenaltyOption,
	furtherParams,
	inputParams,
	maxTokensOption,
	presencePenaltyOption,
	reasoningEffortOption,
	seedOption,
	spendingCapParam,
	systemMessageOption,
	temperatureOption,
	topPOption,
} from './text.params';
import {
	createAnswerReader,
	pickCost,
	pickRequestId,
	type PricedAnswer,
	readStructuredAnswer,
	simplifyAnswer,
	type StructuredReader,
} from './textOutput';
import { toolChoiceOption, toolsOption } from './tools.params';

export const message = operation({
	name: 'Message a Model',
	value: 'message',
	action: 'Message text model',
	description: 'Send a prompt or messages to a text model and get its answer',
	params: [
		...inputParams,
		spendingCapParam,
		...furtherParams,
		simplifyParam,
		{
			displayName: 'Options',
			name: 'options',
			type: 'collection',
			placeholder: 'Add Option',
			default: {},
			options: [
				additionalFieldsOption,
				allowUnknownCostOption,
				frequencyPenaltyOption,
				maxTokensOption,
				answerCountOption,
				onIncompleteOption,
				presencePenaltyOption,
				protocolOption,
				reasoningEffortOption,
				seedOption,
				{
					displayName: 'Stop Sequences (JSON)',
					name: 'stopSequences',
					type: 'json',
					default: '[]',
					description: 'Texts at which the answer ends, as a JSON list, e.g. ["END"]',
				},
				systemMessageOption,
				temperatureOption,
				toolChoiceOption,
				toolsOption,
				topPOption,
			],
		},
	],

	prepare({ simplify, spendingCapPerItem: cap, options, ...values }, { handedOver }) {
		const { onIncomplete = 'error', allowUnknownCost = false, ...more } = options;
		return {
			...toTextRequest(values, more, handedOver.readTurn('history')),
			caps: {
				item: createCap({ cap, field: 'Spending Cap per Item', of: 'item' }),
				conversation: readConversationCap(handedOver.readTurn('budget')),
			},
			allowUnknownCost,
			structured: createAnswerReader(values),
			simplify,
			onIncomplete,
		};
	},

	check: checkTextRequest,

	run: askText,
});

/** What the conversation may cost in which the node speaks. */
function readConversationCap(budget: unknown) {
	const { cap, spent } = isPlainObject(budget) ? budget : {};
	return typeof cap === 'number' && typeof spent === 'number'
		? createConversationCap(cap, spent)
		: undefined;
}

/** A text request, and how to output its answer. */
interface AnswerRequest extends PaidTextRequest {
	simplify: boolean;
	onIncomplete: 'error' | 'partial';
	/** Reads the answer as JSON. Absent for a text. */
	structured?: StructuredReader | undefined;
}

/** Asks a model, and makes an item of its answer. */
async function askText(context: OperationContext<AnswerRequest>): Promise<ItemOutput> {
	const { request, startPaid, addHint } = context;
	const { structured } = request;
	const model = await findCachedModel(context, request.model);
	const unlimited = await buildBody(context);
	const found = model ? { entry: model } : { missing: 'The catalog does not have this model.' };
	const { body, bound, cost } = limitOutput(found, unlimited, request);
	try {
		const answer = await startPaid<PricedAnswer>({
			// not the limited one: what the caps afford changes with the prices
			request: unlimited,
			reserve: async () => await reserve(request.caps, bound),
			costOf: (ended) => costOfAnswer(ended, model),
			send: async () => {
				const countOthers = () => context.countInFlight() - 1;
				const asking = { model, onText: context.stream, countOthers, keepRaw: !request.simplify };
				const asked = await askWithCost(context.http, request.protocol, body, asking);
				const { input = 0, output = 0 } = readTokenCounts(asked.usage);
				context.countTokens(input, output);
				return asked;
			},
		});
		const notice = answerWarning(answer, cost.maxTokens);
		if (notice) addHint(notice);
		const parsed = structured
			? readStructuredAnswer(structured, splitRaw(answer).answer, cost.maxTokens)
			: {};
		return toItem(answer, request, parsed, { ...(notice && { notice }), complete: true });
	} catch (cause) {
		const salvaged =
			request.onIncomplete === 'partial'
				? partialAnswerOf<PricedAnswer>(cause, ({ text }) => text)
				: undefined;
		if (!salvaged)
			throw mapServiceError(cause, (error) => {
				const { partial } = error.details;
				if (!partial) return error;
				return withDetails(error, { partial: splitRaw(partial as PricedAnswer).answer });
			});
		const { partial, notice, extras } = salvaged;
		addHint(notice);
		const more = { ...pickRequestId(salvaged), ...extras, notice, complete: false };
		return toItem(partial, request, {}, more);
	}
}

/** @param parsed Stands before the fields of the answer, `more` behind them. */
function toItem(
	stored: PricedAnswer,
	request: AnswerRequest,
	parsed: object,
	more: object,
): ItemOutput {
	const { answer, raw } = splitRaw(stored);
	const rest = isPlainObject(raw)
		? { [protocols[request.protocol].raw]: raw, ...pickCost(answer), ...pickRequestId(answer) }
		: simplifyAnswer(answer);
	return { json: { output: answer.text, ...parsed, ...rest, ...more } as IDataObject };
}

/** Parts an answer from the protocol's own object. */
function splitRaw({ completion, response, ...answer }: PricedAnswer) {
	return { raw: completion ?? response, answer };
}
