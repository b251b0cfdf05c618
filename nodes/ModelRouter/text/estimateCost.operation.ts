import type { IDataObject } from 'n8n-workflow';

import { joinSentences, withFullStop } from '../../../src/core/errors';
import { omitMissing } from '../../../src/core/json';
import { formatUsd, toUsd } from '../../../src/core/money';
import { operation } from '../../../src/n8n/operation';
import { type Body, bound } from '../../../src/paid/call';
import { hintPassedOver } from '../../../src/paid/choose';
import { isGuess } from '../../../src/paid/catalog';
import type { Model } from '../../../src/router/model';
import { textCost, type CostBound } from '../../../src/router/pricing';
import { estimatePromptTokens } from '../../../src/router/promptTokens';
import { optionsParam } from '../../fieldKinds.params';
import { toPrices } from '../model/modelItem';
import { textOptions, textParams } from './text.params';
import { chooseText, readFiles, toTextRequest } from './textRequest';
import { toolsOption } from './tools.params';

export const estimateCost = operation({
	name: 'Estimate Cost',
	value: 'estimateCost',
	action: 'Estimate cost of text request',
	description: 'Calculate the maximum and likely cost, and send nothing',
	readsAtMostCatalog: true,
	params: [
		...textParams('The cap of the estimated request'),
		optionsParam([
			{ ...textOptions.additionalFields, description: 'As in Message a Model' },
			textOptions.maxTokens,
			textOptions.protocol,
			toolsOption,
		]),
	],

	prepare: ({ options, ...values }, surroundings) => toTextRequest(values, options, surroundings),

	check: chooseText,

	async run(context) {
		const { addHint } = context;
		const { calls = [], passedOver = [], list, catalogId } = context.checked ?? {};
		const [chosen] = calls;
		if (!chosen) throw new Error('There is no model');
		const { model, found } = chosen;
		const { entry } = found;
		if (!entry && found.unreadable) throw found.unreadable;
		hintPassedOver(addHint, list, passedOver);
		const withFiles = await readFiles(context);
		const price = bound(withFiles(chosen));
		return {
			json: {
				model: entry?.id ?? model,
				...('unbounded' in price
					? {
							output: `The cost cannot be calculated. ${withFullStop(price.unbounded)}`,
							notice: withFullStop(price.unbounded),
						}
					: toEstimate(price, entry, isGuess(found, context.http.hostname))),
				...toPrices(entry?.pricing),
				...omitMissing({ requestId: catalogId }),
			} as IDataObject,
		};
	},
});

/** `max…` is an upper bound; `estimated…` assumes about four bytes per token, as in most languages. */
function toEstimate(
	{
		microUsd,
		promptTokens,
		templateTokens,
		promptCountedBy,
		outputTokens,
		body,
	}: CostBound & { body: Body },
	entry: Model | undefined,
	maxCostIsGuess: boolean,
): object {
	const textTokens = estimatePromptTokens(body);
	const estimatedPromptTokens = textTokens && Math.min(textTokens, promptTokens);
	const likely = omitMissing({ input: estimatedPromptTokens, output: outputTokens });
	const estimated = textCost(entry?.pricing, likely);
	const about = estimated === undefined ? '' : `, likely about ${formatUsd(estimated)}`;
	return {
		output: joinSentences(
			`This costs at most ${formatUsd(microUsd)}${about}. ${EXPLANATIONS[promptCountedBy]}`,
			templateTokens !== undefined && `The template of the model may add ${templateTokens} tokens.`,
			maxCostIsGuess && 'That is a guess: the service may charge another price.',
		),
		maxCostUsd: toUsd(microUsd),
		...(maxCostIsGuess && { maxCostIsGuess }),
		...(estimated !== undefined && { estimatedCostUsd: toUsd(estimated) }),
		costComputed: true,
		maxPromptTokens: promptTokens,
		promptCountedBy,
		...(estimatedPromptTokens !== undefined && { estimatedPromptTokens }),
		maxOutputTokens: outputTokens,
	};
}

/** How the maximum number of prompt tokens was found. */
const EXPLANATIONS: Record<CostBound['promptCountedBy'], string> = {
	bytes: 'The prompt is counted as one token per byte.',
	bytesAndFiles:
		'The text of the prompt is counted as one token per byte, and each file with the most that vendors count.',
	contextWindow: 'The prompt is counted as the whole context window of the model.',
};
