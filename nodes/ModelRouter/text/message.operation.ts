import type { IDataObject } from 'n8n-workflow';

import { createCap, createConversationCap, reserve } from '../../../src/core/budget';
import { mapServiceError, ServiceError, withDetails } from '../../../src/core/errors';
import { isPlainObject } from '../../../src/core/json';
import { readTokenCounts } from '../../../src/core/tokenCounts';
import { type ItemOutput, operation, type OperationContext } from '../../../src/n8n/operation';
import { extrasOf, onIncompleteOption, partialAnswerOf } from '../../../src/n8n/partialAnswers';
import { explainBalance } from '../../../src/router/advice';
import type { Model } from '../../../src/router/model';
import { textCost, toTextBound } from '../../../src/router/pricing';
import { answerWarning, type TextAnswer } from '../../../src/router/textAnswer';
import { findCachedModel } from '../catalog';
import { allowUnknownCostOption, simplifyParam } from '../acrossResources.params';
import { buildBody, checkTextRequest, type PaidTextRequest, toTextRequest } from './textRequest';
import { protocolOption, protocols } from './protocols';
import { limitOutput } from './textCost';
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
	pickRequestId,
	readStructuredAnswer,
	simplifyAnswer,
	type StructuredReader,
	toCostFields,
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

/** An answer as it is stored with the execution: the protocol's own object is only kept when Simplify is off. */
interface StoredAnswer {
	answer: TextAnswer;
	raw?: Record<string, unknown>;
}

/** Asks a model, and makes an item of its answer. */
async function askText(context: OperationContext<AnswerRequest>): Promise<ItemOutput> {
	const { request, startPaid, addHint } = context;
	const { raw: rawName } = protocols[request.protocol];
	const model = await findCachedModel(context, request.model);
	const unlimited = await buildBody(context);
	const found = model ? { entry: model } : { missing: 'The catalog does not have this model.' };
	const { body, cost } = limitOutput(found, unlimited, request);
	const maxTokens = 'maxTokens' in cost ? cost.maxTokens : undefined;

	const toItem = ({ answer, raw }: StoredAnswer, parsed: object, more: object): ItemOutput => {
		const rest = raw
			? { [rawName]: raw, ...costOf(answer, model), ...pickRequestId(answer) }
			: { ...simplifyAnswer(answer), ...costOf(answer, model) };
		return { json: { output: answer.text, ...parsed, ...rest, ...more } as IDataObject };
	};

	try {
		const stored = await startPaid({
			// not the limited one: what the caps afford changes with the prices
			request: unlimited,
			reserve: async () => await reserve(request.caps, toTextBound(cost)),
			costOf: (ended) => textCost(model?.pricing, usageOf(ended)),
			send: async () => await sendRequest(context, body, model),
		});
		const { answer } = stored;
		const notice = answerWarning(answer, maxTokens);
		if (notice) addHint(notice);
		const parsed = request.structured
			? readStructuredAnswer(request.structured, { ...answer, ...costOf(answer, model) }, maxTokens)
			: {};
		return toItem(stored, parsed, { ...(notice && { notice }), complete: true });
	} catch (cause) {
		const failure = findPartialAnswer(cause);
		if (!failure) throw mapServiceError(cause);
		const { answer } = failure.stored;
		const partialAnswer =
			request.onIncomplete === 'partial'
				? partialAnswerOf<StoredAnswer>(failure.error, (stored) => stored.answer.text)
				: undefined;
		if (!partialAnswer)
			throw withDetails(failure.error, { partial: { ...answer, ...costOf(answer, model) } });
		const { partial, notice } = partialAnswer;
		addHint(notice);
		const more = { ...pickRequestId(partialAnswer), ...extrasOf(partial.answer) };
		return toItem(partial, {}, { ...more, notice, complete: false });
	}
}

/** Sends the request. A failure keeps what arrived of the answer as a `StoredAnswer` in `details.partial`. */
async function sendRequest(
	{ request, http, stream, countTokens, countInFlight }: OperationContext<AnswerRequest>,
	body: { model: string } & Record<string, unknown>,
	model: Model | undefined,
): Promise<StoredAnswer> {
	const { raw, ask } = protocols[request.protocol];
	const toStoredAnswer = (answer: TextAnswer & Record<string, unknown>): StoredAnswer => {
		const { [raw]: rawAnswer, ...rest } = answer;
		return {
			answer: rest as unknown as TextAnswer,
			...(!request.simplify && isPlainObject(rawAnswer) && { raw: rawAnswer }),
		};
	};
	try {
		const stored = toStoredAnswer({ ...(await ask(http, body as never, stream)) });
		const { input = 0, output = 0 } = readTokenCounts(stored.answer.usage);
		countTokens(input, output);
		return stored;
	} catch (cause) {
		throw mapServiceError(cause, (error) => {
			const explained = explainBalance(error, { body, model, others: countInFlight() - 1 });
			const { partial } = explained.details;
			return partial
				? withDetails(explained, { partial: toStoredAnswer(partial as never) })
				: explained;
		});
	}
}

const costOf = ({ usage }: TextAnswer, model: Model | undefined) =>
	toCostFields(textCost(model?.pricing, usage));

const usageOf = (ended: StoredAnswer | ServiceError) =>
	(ended instanceof ServiceError ? findPartialAnswer(ended)?.stored : ended)?.answer.usage;

/** What `sendRequest` kept of an answer that broke off. */
function findPartialAnswer(
	cause: unknown,
): { error: ServiceError; stored: StoredAnswer } | undefined {
	if (!(cause instanceof ServiceError)) return undefined;
	const { partial } = cause.details;
	return partial && 'answer' in partial
		? { error: cause, stored: partial as StoredAnswer }
		: undefined;
}
