import type { INodeProperties } from 'n8n-workflow';

import { invalidInputError } from '../../../src/core/errors';
import { readKeyText } from '../../../src/core/keyText';
import { definedByModel, withFieldRules } from '../../../src/n8n/parameterFields';
import type { PrepareContext } from '../../../src/n8n/operation';
import type { ParamValues } from '../../../src/n8n/parameters';
import { addInputs } from '../../../src/router/jobStart';
import { findModelChoice } from '../../../src/core/modelLists';
import { findTextField } from '../../../src/router/jobPricing';
import { modelParam } from '../modelPicker';
import {
	allowUnknownCostOption,
	spendingCapPerExecutionOption,
	spendingCapPerItemParam,
	readConversationCap,
	readSpendingLabel,
	spendingLabelOption,
} from '../acrossResources.params';
import {
	inputsParam,
	mediaTypeParam,
	presetOptions,
	requireMediaJobs,
	toInputSources,
	toPresetFields,
} from './media.params';

/** An AI agent decides how often it calls a tool, so a person must allow calls that cost money. */
const allowAgentsParam = {
	displayName: 'Allow Paid Jobs From AI Agents',
	name: 'allowAgents',
	type: 'boolean',
	// an AI agent may set parameters that contain an expression
	noDataExpression: true,
	displayOptions: { show: { '@tool': [true] } },
	default: false,
	description: 'Whether an AI agent may start paid jobs, within the caps',
} as const satisfies INodeProperties;

/** @throws ServiceError `invalid`. Its message is all that an AI agent receives. */
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
	description: 'Whether the Model Router Trigger delivers the file',
});

const uniqueKeyParam = withFieldRules({ isKey: true, inTool: 'notFromModel' })({
	displayName: 'Unique Key (Start Only Once)',
	name: 'uniqueKey',
	type: 'string',
	// never hidden: n8n drops the value of a hidden field, and the job would start twice
	default: '',
	placeholder: 'e.g. {{ $json.orderId }}',
	description: 'One job per key, tracked: later starts return it',
});

export const triggerGroupOption = withFieldRules({ inTool: 'notFromModel' })({
	displayName: 'Trigger Group',
	name: 'triggerGroup',
	type: 'string',
	default: '',
	placeholder: 'e.g. product videos',
	description: 'Only triggers of this group report it',
});

const MAX_KEY_LENGTH = 500;

/**
 * The ledger settings of a start. The key is empty if there is none.
 *
 * @param waits Milliseconds that the node itself waits for the job. Triggers do not check the job earlier.
 * @returns undefined if the ledger is not used: a key needs it, whatever the switch says.
 * @throws ServiceError `invalid`.
 */
function toLedgerStart(
	{ useLedger, uniqueKey: key }: { useLedger: boolean; uniqueKey: string },
	triggerGroup: string,
	waits: number,
) {
	const uniqueKey = readKeyText(uniqueKeyParam.displayName, key);
	if (key && !uniqueKey)
		throw invalidInputError(
			`${uniqueKeyParam.displayName} contains only spaces`,
			'Nothing was sent. Enter a key, or clear the field.',
		);
	if (!useLedger && !uniqueKey) return undefined;
	if (uniqueKey.length > MAX_KEY_LENGTH)
		throw invalidInputError(
			`${uniqueKeyParam.displayName} is longer than ${MAX_KEY_LENGTH} characters`,
		);
	return { uniqueKey, triggerGroup: readKeyText('Trigger Group', triggerGroup), waits };
}

const whileBuildingOption = {
	displayName: 'While Building',
	name: 'whileBuilding',
	type: 'options',
	noDataExpression: true,
	options: [
		{ name: 'Always Start Anew', value: 'anew', description: 'Pay for each execution' },
		{
			name: 'Reuse',
			value: 'reuse',
			description: 'By hand and in evaluations, get the job that an earlier execution paid for',
		},
	],
	default: 'reuse',
} as const satisfies INodeProperties;

const promptParam = {
	displayName: 'Prompt',
	name: 'prompt',
	type: 'string',
	typeOptions: { rows: 4 },
	default: '',
	placeholder: 'e.g. A lighthouse in the fog, watercolor',
	description: 'For speech, the text to read aloud',
} as const satisfies INodeProperties;

/**
 * Rejects a job that nobody has described, where a model asks for it: what the model wrote may have had no field to go into.
 *
 * @throws ServiceError `invalid`. Its message is all that an AI agent receives.
 */
function checkDescribed(body: Record<string, unknown>): void {
	if (findTextField(body) !== undefined) return;
	throw invalidInputError(
		'Prompt is empty, so nothing says what to generate',
		`Nothing was started and nothing is charged. Do not call this tool again: tell the user to let the model define "${promptParam.displayName}" in its node, or to enter a text.`,
	);
}

/** The parameters of a media job. The specification defines no field of the request body except the model. */
export const startParams = [
	mediaTypeParam,
	modelParam,
	{ ...promptParam, displayOptions: { show: { '@tool': [false] } } },
	{
		...promptParam,
		default: definedByModel('Prompt'),
		displayOptions: { show: { '@tool': [true] } },
	},
	{
		...spendingCapPerItemParam,
		description: 'A job whose lowest price is higher is not started. It may cost more.',
	},
	allowAgentsParam,
	inputsParam,
	useLedgerParam,
	uniqueKeyParam,
] as const satisfies INodeProperties[];

/** The options of every start. Operations add others, in the order of the labels. */
export const startOptions = {
	parameters: {
		displayName: 'Additional Parameters (JSON)',
		name: 'parameters',
		type: 'json',
		default: '{}',
		description: 'Such as {"size": "1024x1024"}',
	},
	...presetOptions,
	allowUnknownCost: {
		...allowUnknownCostOption,
		description: 'Whether to start a job without a price, uncapped',
	},
	triggerGroup: triggerGroupOption,
	spendingCapPerExecution: {
		...spendingCapPerExecutionOption,
		description: 'For all starts in an execution, as estimated',
	},
	spendingLabel: spendingLabelOption,
	whileBuilding: whileBuildingOption,
} as const;

type StartOption = (typeof startOptions)[keyof typeof startOptions];
type StartOptions = Partial<ParamValues<StartOption[]>>;
type StartValues = ParamValues<typeof startParams>;

/**
 * The start of a media job, complete except for the contents of its files.
 *
 * @param surroundings Who asks for it, and the model lists of the credential.
 * @param waits Milliseconds that the node itself waits for the job.
 * @throws ServiceError `invalid`.
 */
export function toStartRequest(
	params: StartValues,
	{ allowUnknownCost = false, triggerGroup = '', spendingCapPerExecution, ...more }: StartOptions,
	{
		baseUrl,
		handedOver,
		readModelLists,
	}: Pick<PrepareContext, 'baseUrl' | 'handedOver' | 'readModelLists'>,
	waits = 0,
) {
	requireMediaJobs(baseUrl);
	const { mediaType, allowAgents, spendingCapPerItem } = params;
	/** Without the inputs. The model of a list is set by the start. */
	const body = toBody(params, more);
	// without leave, nothing is started either: `checkAgentAllowed` says so
	if (handedOver.caller !== 'workflow' && allowAgents) checkDescribed(body);
	const inputs = toInputSources(params.inputs);
	// conflicting names are reported before any file is read
	addInputs(
		body,
		inputs.map(({ name }) => ({ name, value: '' })),
	);
	return {
		mediaType,
		body,
		inputs,
		allowAgents,
		spendingCapPerItem,
		spendingCapPerExecution,
		allowUnknownCost,
		/** @throws ServiceError `invalid` for a list that the credential does not have. */
		findChoice: () => findModelChoice(params.model, readModelLists),
		/** What the node says. */
		whileBuilding: more.whileBuilding,
		conversation: readConversationCap(handedOver.readTurn('budget')),
		label: readSpendingLabel(more.spendingLabel, handedOver.readTurn('spendingLabel')),
		ledger: toLedgerStart(params, triggerGroup, waits),
	};
}

/** What is asked for, by any model, and at any cost. With a key, the ledger decides what was started before. */
export const identifyStart = ({ mediaType, body, inputs, ledger }: StartRequest) =>
	ledger?.uniqueKey ? undefined : { mediaType, body: { ...body, model: undefined }, inputs };

/** @throws ServiceError `invalid` for a field that is set twice. */
function toBody(
	{ model, prompt }: StartValues,
	{ parameters = {}, ...presets }: Pick<StartOptions, 'parameters' | keyof typeof presetOptions>,
): Record<string, unknown> {
	const fields = [
		{ field: 'model', label: 'Model', value: model.trim() },
		...(prompt.trim() ? [{ field: 'prompt', label: 'Prompt', value: prompt }] : []),
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
