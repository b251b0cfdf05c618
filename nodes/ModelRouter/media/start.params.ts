import type { INodeProperties } from 'n8n-workflow';

import { invalidInputError } from '../../../src/core/errors';
import { withFieldRules } from '../../../src/n8n/parameterFields';
import type { ParamValues } from '../../../src/n8n/parameters';
import { addInputs } from '../../../src/router/jobStart';
import { modelParam } from '../catalog';
import {
	allowUnknownCostOption,
	capFields,
	spendingCapPerItemParam,
} from '../acrossResources.params';
import {
	inputsParam,
	mediaTypeParam,
	presetsParam,
	toInputSources,
	toPresetFields,
} from './media.params';

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
		'This tool is not set up to start media jobs, which cost money',
		`Nothing was started and nothing is charged. Do not call it again. Tell the user to turn on "${allowAgentsParam.displayName}" in the node of this tool if it should start them.`,
	);
}

const useLedgerParam = withFieldRules({ inTool: 'notFromModel' })({
	displayName: 'Track in Job Ledger',
	name: 'useLedger',
	type: 'boolean',
	default: false,
	description:
		'Whether to enter the job in the job ledger, a Data Table of this n8n, before it is started. The Model Router Trigger then downloads its file, whatever happens to this execution.',
});

const idempotencyKeyParam = withFieldRules({ isKey: true, inTool: 'notFromModel' })({
	displayName: 'Unique Key (Start Only Once)',
	name: 'idempotencyKey',
	type: 'string',
	displayOptions: { show: { useLedger: [true] } },
	default: '',
	placeholder: 'e.g. {{ $json.orderId }}',
	description:
		'One job per key, across executions, workers, Stop and crashes. A later start with the same key sends nothing and returns the job that the first one started, even when its other parameters differ. If empty, every start is a new job.',
});

export const ledgerLabelOption = withFieldRules({ inTool: 'notFromModel' })({
	displayName: 'Ledger Label',
	name: 'ledgerLabel',
	type: 'string',
	default: '',
	placeholder: 'e.g. product videos',
	description:
		'Separates the jobs of one workflow from those of others in the job ledger. A Model Router Trigger with a label reports only jobs with the same label.',
});

const MAX_KEY_LENGTH = 500;

/**
 * The ledger settings of a start. The key is empty for a start without one.
 *
 * @param waits Milliseconds that the node itself waits for the job. Triggers do not check it before that.
 * @returns undefined when the ledger is not used.
 * @throws ServiceError `invalid`.
 */
function toLedgerStart(
	{ useLedger, idempotencyKey: key }: { useLedger: boolean; idempotencyKey: string },
	ledgerLabel: string,
	waits: number,
) {
	if (!useLedger) return undefined;
	const idempotencyKey = key.trim();
	if (key && !idempotencyKey)
		throw invalidInputError(
			`${idempotencyKeyParam.displayName} has only spaces`,
			'Nothing was sent. Enter a key, or clear the field.',
		);
	if (idempotencyKey.length > MAX_KEY_LENGTH)
		throw invalidInputError(
			`${idempotencyKeyParam.displayName} is longer than ${MAX_KEY_LENGTH} characters`,
		);
	return { idempotencyKey, ledgerLabel: ledgerLabel.trim(), waits };
}

/** The parameters of a media job. The specification defines no field of the request body but the model. */
export const startParams = [
	mediaTypeParam,
	modelParam,
	{
		displayName: 'Prompt',
		name: 'prompt',
		type: 'string',
		typeOptions: { rows: 4 },
		default: '',
		placeholder: 'e.g. A lighthouse in the fog, watercolor',
		description:
			'What to make; for speech, the text to read aloud. Sent as "prompt"; not sent when empty.',
	},
	{
		...spendingCapPerItemParam,
		description:
			'A job is not started when it is certain to cost more than this. The catalog only has the price of the cheapest configuration, so it may still cost more: duration, resolution, sound and tier raise the price. A job without a price in the catalog is not started, unless Allow Unknown Cost in the options is on.',
	},
	allowAgentsParam,
	presetsParam,
	{
		displayName: 'Additional Parameters (JSON)',
		name: 'parameters',
		type: 'json',
		default: '{}',
		description:
			'Further fields of the request as a JSON object, sent unchanged, e.g. {"size": "1024x1024"}. Which fields are accepted depends on the model.',
	},
	inputsParam,
	useLedgerParam,
	idempotencyKeyParam,
] as const satisfies INodeProperties[];

const spendingCapPerExecutionOption = withFieldRules({ inTool: 'fixed', isDecimal: true })({
	displayName: 'Spending Cap per Execution (USD)',
	name: 'spendingCapPerExecution',
	...capFields,
	default: 10,
	description:
		'Jobs are started one after another. Their estimated costs count, or their minimum costs in the catalog where those are higher. A job whose minimum cost would exceed this is not started; only the last one can, if its estimate is higher. It applies to all starts of this node in one execution; a failed job still counts. Without it, there is no such cap.',
});

/** The options of every start. An operation adds its own, in the order of the labels. */
export const startOptions = {
	allowUnknownCost: {
		...allowUnknownCostOption,
		description:
			'Whether to start a job even if the catalog has no price for its model, or cannot be read. The spending caps then cannot hold it back.',
	},
	ledgerLabel: ledgerLabelOption,
	spendingCapPerExecution: spendingCapPerExecutionOption,
} as const;

type StartOptions = Partial<
	ParamValues<
		readonly [
			typeof allowUnknownCostOption,
			typeof ledgerLabelOption,
			typeof spendingCapPerExecutionOption,
		]
	>
>;

/**
 * The start of a media job, complete except for the contents of its files.
 *
 * @param waits Milliseconds that the node itself waits for the job.
 * @throws ServiceError `invalid`.
 */
export function toStartRequest(
	params: ParamValues<typeof startParams>,
	{ allowUnknownCost = false, ledgerLabel = '', spendingCapPerExecution }: StartOptions,
	waits = 0,
) {
	const { mediaType, allowAgents, spendingCapPerItem } = params;
	const model = params.model.trim();
	/** Without the inputs. */
	const body = toBody(params);
	const inputs = toInputSources(params.inputs);
	// conflicting names are reported before any file is read
	addInputs(
		body,
		inputs.map(({ name }) => ({ name, value: '' })),
	);
	return {
		...{ mediaType, model, body, inputs, allowAgents },
		...{ spendingCapPerItem, spendingCapPerExecution, allowUnknownCost },
		ledger: toLedgerStart(params, ledgerLabel, waits),
	};
}

/** @throws ServiceError `invalid` for a field that is set twice. */
function toBody({
	model,
	prompt,
	presets,
	parameters,
}: ParamValues<typeof startParams>): Record<string, unknown> {
	const fields = [
		{ field: 'model', label: 'Model', value: model.trim() },
		...(prompt ? [{ field: 'prompt', label: 'Prompt', value: prompt }] : []),
		...toPresetFields(presets),
	];
	for (const { field, label } of fields) {
		if (Object.hasOwn(parameters, field))
			throw invalidInputError(
				`Additional Parameters (JSON) must not contain "${field}"`,
				`It is set by the field ${label}. Set it in one place only.`,
			);
	}
	return {
		...Object.fromEntries(fields.map(({ field, value }) => [field, value])),
		...parameters,
	};
}

export type StartRequest = ReturnType<typeof toStartRequest>;
