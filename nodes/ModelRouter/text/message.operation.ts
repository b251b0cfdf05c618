import type { IBinaryKeyData, IDataObject } from 'n8n-workflow';

import { createExecutionCap, emptySpending } from '../../../src/core/caps';
import { mapServiceError, withDetails } from '../../../src/core/errors';
import { isPlainObject, omitMissing, pickPresent } from '../../../src/core/json';
import { type ItemOutput, operation, type OperationContext } from '../../../src/n8n/operation';
import { onIncompleteOption, partialAnswerOf } from '../../../src/n8n/partialAnswers';
import type { TextCall } from '../../../src/paid/call';
import { type Chosen, hintPassedOver, payInTurn } from '../../../src/paid/choose';
import { payText, type PricedAnswer } from '../../../src/paid/payText';
import { keepMessage, readStructuredAnswer } from '../../../src/paid/readAnswer';
import { withoutLimits } from '../../../src/router/outputLimits';
import { type Protocol, protocols } from '../../../src/router/protocols';
import type { TextAnswer, TextChoice, ToolCall } from '../../../src/router/textAnswer';
import { optionsParam } from '../../fieldKinds.params';
import {
	allowUnknownCostOption,
	readConversationCap,
	readSpendingLabel,
	simplifyParam,
	spendingCapPerExecutionOption,
	spendingLabelOption,
} from '../acrossResources.params';
import { storeFiles } from './answerFiles';
import { INPUT_COUNTS_AS, textOptions, textParams } from './text.params';
import {
	chooseText,
	createAnswerReader,
	readFiles,
	type TextRequest,
	toTextRequest,
} from './textRequest';
import { toolChoiceOption, toolsOption } from './tools.params';

export const message = operation({
	name: 'Message a Model',
	value: 'message',
	action: 'Message text model',
	description: 'Send messages to a text model and get its answer',
	mayTakeLong: true,
	params: [
		...textParams(`An item that could cost more is not sent; with 0, none. ${INPUT_COUNTS_AS}`),
		simplifyParam,
		optionsParam([
			textOptions.additionalFields,
			allowUnknownCostOption,
			textOptions.cacheSystemMessage,
			textOptions.maxTokens,
			onIncompleteOption,
			textOptions.protocol,
			textOptions.reasoningEffort,
			{
				...spendingCapPerExecutionOption,
				description: 'For all requests in an execution, with loops',
			},
			spendingLabelOption,
			textOptions.temperature,
			toolChoiceOption,
			toolsOption,
		]),
	],

	prepare({ simplify, options, ...values }, surroundings) {
		const {
			onIncomplete,
			allowUnknownCost = false,
			spendingCapPerExecution,
			spendingLabel,
			...more
		} = options;
		const request = toTextRequest(values, more, surroundings);
		const { handedOver } = surroundings;
		const conversation = readConversationCap(handedOver.readTurn('budget'));
		const execution = createExecutionCap(spendingCapPerExecution);
		return {
			...request,
			caps: { ...request.caps, execution, conversation },
			spendingCapPerExecution,
			allowUnknownCost,
			label: readSpendingLabel(spendingLabel, handedOver.readTurn('spendingLabel')),
			structured: createAnswerReader(values),
			simplify,
			onIncomplete,
		};
	},

	// of any model, and at any cost
	identify: ({ body, attachments }) => ({ body: withoutLimits(body), attachments }),
	check: chooseText,

	async run(context) {
		const { request, addHint } = context;
		const { structured, protocol } = request;
		try {
			const { answer, maxTokens, notice } = await askModels(context);
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
	TextRequest & { spendingCapPerExecution: number | undefined; simplify: boolean },
	Chosen<TextCall>
>;

/** Asks the models of the request in turn. */
async function askModels(context: MessageContext) {
	const { request, checked, getState, httpOf, addHint, asTool } = context;
	const { simplify, protocol, spendingCapPerExecution, body } = request;
	const { format } = Object(body['audio']) as { format?: unknown };
	return await context.payOnce(async (startPaid) => {
		const withFiles = await readFiles(context);
		const spending = getState('budget', emptySpending);
		const execution = createExecutionCap(spendingCapPerExecution, spending);
		const askOne = async (chosen: TextCall) => {
			const call = withFiles(chosen);
			const caps = { ...call.caps, execution };
			return await payText(
				{ ...call, caps },
				{
					...context,
					http: httpOf(call.model),
					startPaid,
					keep: async (given, raw, files) => ({
						...(!simplify && { raw }),
						...(!asTool && files && (await storeFiles(context, files, format))),
						...keepMessage(given, raw, protocol),
					}),
				},
			);
		};
		const { answer: paid, passedOver } = await payInTurn(checked, askOne);
		hintPassedOver(addHint, checked?.list, passedOver);
		const { answer, maxTokens, notice } = paid;
		return { answer, maxTokens, ...omitMissing({ notice }) };
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
				partial: omitMissing({
					...partial,
					raw: undefined,
					message: undefined,
					files: undefined,
					binary: undefined,
				}),
			});
		});
	const { partial, notice, extras, requestId } = salvaged;
	addHint(notice);
	const more = { ...omitMissing({ requestId }), ...extras, notice, complete: false };
	return toItem(partial, protocol, [], more);
}

const FACTS = [
	'message',
	'costUsd',
	'costComputed',
	'costSource',
	'maxCostIsGuess',
	'reservedUsd',
	'durationMs',
	'requestId',
] as const;

/** @param outputs Of a structured answer. @param more Placed after the fields of the answer. */
function toItem(
	{ raw, files, binary, ...answer }: PricedAnswer,
	protocol: Protocol,
	outputs: readonly object[],
	more: object,
): ItemOutput {
	const facts = pickPresent(answer, FACTS);
	const all = outputs.length > 1 && { answers: outputs };
	const json = isPlainObject(raw)
		? { output: answer.text, ...outputs[0], ...all, [protocols[protocol].raw]: raw, ...facts }
		: simplifyAnswer(answer, outputs);
	return {
		json: { ...json, ...(files && { files }), ...more } as IDataObject,
		...(binary && { binary: binary as IBinaryKeyData }),
	};
}

/** The fields of an answer for the output, without protocol details. @param outputs Of a structured answer, in place of its texts. */
const simplifyAnswer = (
	{ choices, ...answer }: TextAnswer,
	outputs: readonly object[],
): object => ({
	...simplifyChoice(answer, outputs[0]),
	...(choices && { answers: choices.map((choice, at) => simplifyChoice(choice, outputs[at])) }),
});

const simplifyChoice = ({ text, toolCalls, ...rest }: TextChoice, output?: object): object => ({
	...(output ?? { output: text }),
	...rest,
	...(toolCalls.length && { toolCalls: toolCalls.map(withInputField) }),
});

/** n8n's expressions cannot read a field called "arguments", so its value is in "input" as well. */
const withInputField = (call: ToolCall) => ({ ...call, input: call.arguments });
