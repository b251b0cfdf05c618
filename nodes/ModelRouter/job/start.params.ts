import type { INodeProperties } from 'n8n-workflow';

import { invalidInputError } from '../../../src/core/errors';
import { withFieldRules } from '../../../src/n8n/parameterValidation';
import type { ParamValues } from '../../../src/n8n/parameters';
import { addInputs } from '../../../src/router/jobStart';
import type { Segment } from '../../../src/router/model';
import { modelParam } from '../modelPicker';
import { inputsParam, toInputSources, segmentParam, type InputSource } from './job.params';

/** An AI agent decides how often it calls a tool, so a person must allow that calls cost money. */
const allowAgentsParam = {
	displayName: 'Allow Paid Jobs From AI Agents',
	name: 'allowAgents',
	type: 'boolean',
	// an AI agent may set parameters that contain an expression
	noDataExpression: true,
	displayOptions: { show: { '@tool': [true] } },
	default: false,
	description:
		'Whether an AI agent may start jobs with this tool, each of which costs money, as often as it decides to. Spending Cap per Execution in the options limits what one execution spends.',
} as const satisfies INodeProperties;

/** @throws ServiceError `invalid`, whose message is all that an AI agent receives. */
export function checkAgentAllowed(asTool: boolean, allowAgents: boolean): void {
	if (!asTool || allowAgents) return;
	throw invalidInputError(
		'This tool may not start media jobs: they cost money, and nobody has allowed it',
		`Nothing was started and nothing is charged. Do not call it again. Tell the user that a person can turn on "${allowAgentsParam.displayName}" in the node of this tool.`,
	);
}

const useLedgerParam = withFieldRules({ inTool: 'notFromModel' })({
	displayName: 'Use Job Ledger',
	name: 'useLedger',
	type: 'boolean',
	default: false,
	description:
		'Whether to enter the job in the job ledger, a Data Table of this n8n, before it is started. The Model Router Trigger then downloads its file, whatever happens to this execution, and Start Once Per Key can be used.',
});

export const startKeyOption = withFieldRules({ isKey: true, inTool: 'notFromModel' })({
	displayName: 'Start Once Per Key',
	name: 'startKey',
	type: 'string',
	default: '',
	placeholder: 'e.g. {{ $json.orderId }}',
	description:
		'One job per key, across executions, workers, Stop and crashes. A later start with the same key sends nothing and returns the job that the first one started, even when its other parameters differ. Needs the job ledger.',
});

export const labelOption = withFieldRules({ inTool: 'notFromModel' })({
	displayName: 'Ledger Label',
	name: 'label',
	type: 'string',
	default: '',
	placeholder: 'e.g. product videos',
	description:
		'Separates the jobs of one workflow from those of others: a Model Router Trigger with a label reports only jobs with the same label',
});

interface LedgerOptions {
	startKey?: string;
	label?: string;
}

/** The ledger settings of a start. */
export interface LedgerStart {
	/** Empty for a start without a key. */
	startKey: string;
	label: string;
	/** Milliseconds that the node itself waits for the job. Triggers do not check it before that. */
	waits: number;
}

const MAX_KEY_LENGTH = 500;

/** @throws ServiceError `invalid`. @returns undefined when the ledger is not used. */
function toLedgerStart(
	useLedger: boolean,
	{ startKey, label = '' }: LedgerOptions,
	waits: number,
): LedgerStart | undefined {
	const key = startKey?.trim();
	if (key === '') {
		throw invalidInputError(
			'Start Once Per Key is empty',
			'Nothing was sent. Enter a key, or remove the option.',
		);
	}
	if (key !== undefined && key.length > MAX_KEY_LENGTH)
		throw invalidInputError(`Start Once Per Key is longer than ${MAX_KEY_LENGTH} characters`);
	if (useLedger) return { startKey: key ?? '', label: label.trim(), waits };
	if (key === undefined) return undefined;
	throw invalidInputError(
		'Start Once Per Key needs the job ledger',
		'Nothing was sent. Turn on "Use Job Ledger", which stores the keys.',
	);
}

/** The parameters of a media job. The specification defines no field of the request body but the model. */
export const startParams = [
	segmentParam,
	modelParam,
	{
		displayName: 'Prompt',
		name: 'prompt',
		type: 'string',
		typeOptions: { rows: 4 },
		default: '',
		placeholder: 'e.g. A lighthouse in the fog, watercolor',
		description: 'What to generate. Sent as "prompt"; omitted when empty.',
	},
	{
		displayName: 'Parameters',
		name: 'parameters',
		type: 'json',
		default: '{}',
		description:
			'Additional fields of the request as a JSON object, sent unchanged, e.g. {"size": "1024x1024"}. Which fields are accepted depends on the model.',
	},
	inputsParam,
	allowAgentsParam,
	useLedgerParam,
] as const satisfies INodeProperties[];

export const executionCapOption = withFieldRules({ inTool: 'fixed' })({
	displayName: 'Spending Cap per Execution (USD)',
	name: 'executionCap',
	type: 'number',
	// otherwise an expression without a value would remove the cap
	required: true,
	typeOptions: { minValue: 0, numberPrecision: 6 },
	default: 10,
	description:
		'Jobs are started one after another. No more are started once their estimated costs (or their minimum costs in the catalog, where those are higher) add up to this. The last job may exceed the cap. It applies to all starts of this node in one execution; a failed job still counts.',
});

export const itemCapOption = withFieldRules({ inTool: 'fixed' })({
	displayName: 'Spending Cap per Item (USD)',
	name: 'spendingCap',
	type: 'number',
	// otherwise an expression without a value would remove the cap
	required: true,
	typeOptions: { minValue: 0, numberPrecision: 6 },
	default: 1,
	description:
		'A job is not started when it is certain to cost more than this. The catalog only has the price of the cheapest configuration, so it may still cost more: duration, resolution, sound and tier raise the price. Without a price in the catalog nothing can be calculated, and the job is not started.',
});

interface StartOptions extends LedgerOptions {
	executionCap?: number;
	spendingCap?: number;
}

/** @param waits Milliseconds that the node itself waits for the job. @throws ServiceError `invalid`. */
export function toStartRequest(
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
			throw invalidInputError(
				`Parameters must not contain "${name}"`,
				'It has a field of its own above.',
			);
	}
	const body = { ...fields, ...parameters };
	const sources = toInputSources(inputs);
	// conflicting names are reported before any file is read
	addInputs(
		body,
		sources.map(({ name }) => ({ name, value: '' })),
	);
	const { executionCap, spendingCap } = options;
	return {
		segment,
		model: model.trim(),
		body,
		inputs: sources,
		allowAgents,
		executionCap,
		spendingCap,
		ledger: toLedgerStart(useLedger, options, waits),
	};
}

/** The start of a media job, complete except for the contents of its files. */
export interface StartRequest {
	segment: Segment;
	model: string;
	/** Without the inputs. */
	body: Record<string, unknown>;
	inputs: readonly InputSource[];
	allowAgents: boolean;
	/** USD. Undefined for no cap. */
	executionCap: number | undefined;
	spendingCap: number | undefined;
	/** Undefined when the job ledger is not used. */
	ledger: LedgerStart | undefined;
}
