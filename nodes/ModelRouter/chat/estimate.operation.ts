import type { IDataObject } from 'n8n-workflow';

import { operation } from '../../../src/n8n/operation';
import { dollars } from '../../../src/router/advice';
import { holdBound, promptGuess, textCost, type Cost } from '../../../src/router/prices';
import { ServiceError } from '../../../src/service/errors';
import { knownCatalog } from '../catalog';
import { additionalFieldsOption } from '../text/text.params';
import { checkText, toSend } from '../text/textRequest';
import { chatParams, maximumOutputOption, systemMessageOption, toChat } from './chat.params';

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

	prepare: ({ options, ...given }) => toChat(given, options),

	check: checkText,

	async run(call) {
		const catalog = await knownCatalog(call);
		if ('missing' in catalog) {
			throw new ServiceError('failed', 'The catalog could not be read, and so no price is known', {
				reason: catalog.missing,
				outcome: 'not_started',
			});
		}
		const { find, requestId } = catalog.value;
		const entry = find(call.request.model);
		const body = await toSend(call);
		const bound = holdBound(entry?.pricing, body);
		return {
			json: {
				model: entry?.id ?? call.request.model,
				...('cost' in bound ? figures(bound, entry?.pricing, promptGuess(body)) : unbounded(bound)),
				...(entry?.pricing && { pricing: entry.pricing }),
				...(requestId && { requestId }),
			} as unknown as IDataObject,
		};
	},
});

type Bound = ReturnType<typeof holdBound>;

/** `hold.atMost` is certain, `hold.likely` a guess: text of most languages has about four bytes to a token. */
function figures(
	{ cost, promptTokens, outputTokens }: Extract<Bound, { cost: Cost }>,
	pricing: Record<string, unknown> | undefined,
	guess: number | undefined,
) {
	const usage = { prompt_tokens: guess, completion_tokens: outputTokens };
	const likely = guess === undefined ? undefined : textCost(pricing, usage);
	return {
		output: `The balance would hold at most ${usd(cost)}${likely ? `, likely about ${usd(likely)}` : ''}.`,
		hold: { atMost: cost, ...(likely && { likely }) },
		promptTokens: { atMost: promptTokens, ...(guess !== undefined && { likely: guess }) },
		maximumOutputTokens: outputTokens,
	};
}

/** Nothing is invented: without a bound there is a reason and no figure. */
function unbounded({ unbounded: reason }: Extract<Bound, { unbounded: string }>) {
	return { output: `No upper bound can be told. ${reason}`, notice: reason };
}

const usd = ({ microUsd }: Cost) => dollars(microUsd) ?? `${microUsd} micro-dollars`;
