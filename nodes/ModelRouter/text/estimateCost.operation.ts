import type { IDataObject } from 'n8n-workflow';

import { withFullStop } from '../../../src/core/errors';
import { formatUsd, toUsd } from '../../../src/core/money';
import { operation } from '../../../src/n8n/operation';
import type { Model } from '../../../src/router/model';
import { textCost, type CostBound } from '../../../src/router/pricing';
import { estimatePromptTokens } from '../../../src/router/promptTokens';
import { optionsParam } from '../../fieldKinds.params';
import { getCachedCatalog, unreadableError } from '../catalog';
import { toPrices } from '../model/modelItem';
import { textOptions, textParams } from './text.params';
import { hintPassedOver } from '../modelChoice';
import { checkTextRequest } from './chooseText';
import { buildBody, limitOutput, toTextRequest, withModel } from './textRequest';
import { toolsOption } from './tools.params';

export const estimateCost = operation({
	name: 'Estimate Cost',
	value: 'estimateCost',
	action: 'Estimate cost of text request',
	description: 'Calculate the maximum and the likely cost of Message a Model, and send nothing',
	readsAtMostCatalog: true,
	params: [
		...textParams('The cap of the estimated request'),
		optionsParam([
			textOptions.additionalFields,
			textOptions.maxTokens,
			textOptions.protocol,
			toolsOption,
		]),
	],

	prepare: ({ options, ...values }, surroundings) => toTextRequest(values, options, surroundings),

	check: checkTextRequest,

	async run(call) {
		const catalog = await getCachedCatalog(call);
		if ('missing' in catalog) throw unreadableError(catalog);
		const { requestId } = catalog.value;
		const { request, addHint } = call;
		const { model, found } = request.chosen.candidates[0]!;
		hintPassedOver(addHint, request.findChoice(), request.chosen.passedOver);
		const entry = 'entry' in found ? found.entry : undefined;
		const unlimited = withModel(await buildBody(call), model);
		const { body, cost } = limitOutput(found, unlimited, request);
		return {
			json: {
				model: entry?.id ?? model,
				...('unbounded' in cost
					? {
							output: `The cost cannot be calculated. ${withFullStop(cost.unbounded)}`,
							notice: withFullStop(cost.unbounded),
						}
					: toEstimate(cost, body, entry)),
				...toPrices(entry?.pricing),
				...(requestId && { requestId }),
			} as IDataObject,
		};
	},
});

/** `max…` is an upper bound; `estimated…` assumes about four bytes per token, as in most languages. */
function toEstimate(
	{ microUsd, promptTokens, promptCountedBy, outputTokens }: CostBound,
	body: Record<string, unknown>,
	entry: Model | undefined,
): object {
	const textTokens = estimatePromptTokens(body);
	const estimatedPromptTokens = textTokens && Math.min(textTokens, promptTokens);
	const usage = { prompt_tokens: estimatedPromptTokens, completion_tokens: outputTokens };
	const estimated = textCost(entry?.pricing, usage);
	const likely = estimated === undefined ? '' : `, likely about ${formatUsd(estimated)}`;
	return {
		output: `This costs at most ${formatUsd(microUsd)}${likely}. ${EXPLANATIONS[promptCountedBy]}`,
		maxCostUsd: toUsd(microUsd),
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
