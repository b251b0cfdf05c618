import type { IDataObject } from 'n8n-workflow';

import { ServiceError } from '../../../src/core/errors';
import { operation } from '../../../src/n8n/operation';
import { formatUsd } from '../../../src/router/money';
import {
	maximumHold,
	estimatePromptTokens,
	textCost,
	type Cost,
} from '../../../src/router/pricing';
import { getCachedCatalog } from '../catalog';
import { additionalFieldsOption } from '../text/text.params';
import { checkTextRequest, buildBody } from '../text/textRequest';
import { chatParams, maximumOutputOption, systemMessageOption, toChatRequest } from './chat.params';

export const estimate = operation({
	name: 'Estimate Cost',
	value: 'estimate',
	action: 'Estimate the cost of a chat with a text model',
	description:
		'Work out, before anything is sent, how much of the balance a chat would hold at most, and what it is likely to cost',
	params: [
		...chatParams,
		{
			displayName: 'Options',
			name: 'options',
			type: 'collection',
			placeholder: 'Add Option',
			default: {},
			options: [additionalFieldsOption, maximumOutputOption, systemMessageOption],
		},
	],

	prepare: ({ options, ...values }) => toChatRequest(values, options),

	check: checkTextRequest,

	async run(call) {
		const catalog = await getCachedCatalog(call);
		if ('missing' in catalog) {
			throw new ServiceError('failed', 'The catalog could not be read, so no price is known', {
				reason: catalog.missing,
				outcome: 'not_started',
			});
		}
		const { find, requestId } = catalog.value;
		const entry = find(call.request.model);
		const body = await buildBody(call);
		const bound = maximumHold(entry?.pricing, body);
		return {
			json: {
				model: entry?.id ?? call.request.model,
				...('cost' in bound
					? toFigures(bound, entry?.pricing, estimatePromptTokens(body))
					: toUnboundedResult(bound)),
				...(entry?.pricing && { pricing: entry.pricing }),
				...(requestId && { requestId }),
			} as unknown as IDataObject,
		};
	},
});

type HoldEstimate = ReturnType<typeof maximumHold>;

/** `hold.atMost` is an upper bound, `hold.likely` an estimate: in most languages a token has about four bytes. */
function toFigures(
	{ cost, promptTokens, outputTokens }: Extract<HoldEstimate, { cost: Cost }>,
	pricing: Record<string, unknown> | undefined,
	likelyPromptTokens: number | undefined,
) {
	const usage = { prompt_tokens: likelyPromptTokens, completion_tokens: outputTokens };
	const likelyCost = likelyPromptTokens === undefined ? undefined : textCost(pricing, usage);
	return {
		output: `The balance would hold at most ${formatCost(cost)}${likelyCost ? `, likely about ${formatCost(likelyCost)}` : ''}.`,
		hold: { atMost: cost, ...(likelyCost && { likely: likelyCost }) },
		promptTokens: {
			atMost: promptTokens,
			...(likelyPromptTokens !== undefined && { likely: likelyPromptTokens }),
		},
		maximumOutputTokens: outputTokens,
	};
}

/** Without an upper bound there is a reason, and no figure. */
function toUnboundedResult({ unbounded: reason }: Extract<HoldEstimate, { unbounded: string }>) {
	return { output: `No upper bound can be calculated. ${reason}`, notice: reason };
}

const formatCost = ({ microUsd }: Cost) => formatUsd(microUsd) ?? `${microUsd} micro-dollars`;
