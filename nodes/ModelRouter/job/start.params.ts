import type { INodeProperties } from 'n8n-workflow';

import type { ParamValues } from '../../../src/n8n/params';
import { withInputs } from '../../../src/router/jobInputs';
import { invalid } from '../../../src/service/errors';
import { modelParam } from '../model.param';
import { allowAgentsParam } from './agents';
import { inputsParam, toInputs } from './inputs.params';
import { toLedgerWanted, useLedgerParam, type LedgerOptions } from './ledger.params';
import { segmentParam } from './job.params';
import type { StartRequest } from './startRequest';

/** What starts a media job. The specification does not show the body of a start, beyond that a model is chosen. */
export const startParams = [
	segmentParam,
	modelParam,
	{
		displayName: 'Prompt',
		name: 'prompt',
		type: 'string',
		typeOptions: { rows: 4 },
		default: '',
		placeholder: 'e.g. A lighthouse in the fog, watercolour',
		description: 'What to make. Sent as "prompt"; left out when empty.',
	},
	{
		displayName: 'Parameters',
		name: 'parameters',
		type: 'json',
		default: '{}',
		description:
			'Further fields of the request as a JSON object, sent as they are, e.g. {"size": "1024x1024"}. Which ones a model takes is up to the model.',
	},
	inputsParam,
	allowAgentsParam,
	useLedgerParam,
] as const satisfies INodeProperties[];

export const executionCapOption = {
	displayName: 'Spending Cap per Execution (USD)',
	name: 'executionCap',
	type: 'number',
	// an expression that finds nothing would otherwise be no cap at all
	required: true,
	typeOptions: { minValue: 0, numberPrecision: 6 },
	default: 10,
	description:
		'Jobs are started one after another, and no more once the estimated costs that the service gives at their starts (or what the catalog says they cost at least, where that is more) add up to this. The last job may overshoot. It counts for all starts of this node in one execution; a failed job still counts.',
} as const satisfies INodeProperties;

export const itemCapOption = {
	displayName: 'Spending Cap per Item (USD)',
	name: 'spendingCap',
	type: 'number',
	// an expression that finds nothing would otherwise be no cap at all
	required: true,
	typeOptions: { minValue: 0, numberPrecision: 6 },
	default: 1,
	description:
		'A job is not started when it is certain to cost more than this. The catalog only says the price of the cheapest configuration, so it may still cost more: duration, resolution, sound and tier raise the price. Without a price in the catalog nothing can be told, and the job is not started.',
} as const satisfies INodeProperties;

interface StartOptions extends LedgerOptions {
	executionCap?: number;
	spendingCap?: number;
}

/** @param waits Milliseconds that the node itself waits for the job. @throws ServiceError `invalid`. */
export function toStart(
	{
		segment,
		model,
		prompt,
		parameters,
		inputs,
		allowAgents,
		useLedger,
	}: ParamValues<typeof startParams>,
	options: StartOptions,
	waits = 0,
): StartRequest {
	const fields: Record<string, unknown> = { model: model.trim(), ...(prompt && { prompt }) };
	for (const name of Object.keys(fields)) {
		if (name in parameters)
			throw invalid(`Parameters must not contain "${name}"`, 'It has a field of its own above.');
	}
	const body = { ...fields, ...parameters };
	const wanted = toInputs(inputs);
	// whether the names fit is told before any file is read
	withInputs(
		body,
		wanted.map(({ name }) => ({ name, value: '' })),
	);
	const { executionCap, spendingCap } = options;
	return {
		segment,
		model: model.trim(),
		body,
		inputs: wanted,
		allowAgents,
		executionCap,
		spendingCap,
		ledger: toLedgerWanted(useLedger, options, waits),
	};
}
