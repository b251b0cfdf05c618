import { packageName } from '../../n8n/bridge';
import type { SavedCredential } from '../../n8n/editor';
import { node, type WorkflowFile, type WorkflowNode } from '../../n8n/workflow';

/** How a trigger delivers: what its parameter "Delivered When" stores. */
export type Delivery = 'handedOver' | 'confirmed';

/** The node that starts jobs, and the one before it, whose items have the keys. */
export const START = 'Start';
export const ITEMS = 'Split Out';

/** Starts the jobs of a webhook's body, with or without unique keys. */
export function startWorkflow(
	account: SavedCredential,
	path: string,
	hasKeys: boolean,
): WorkflowFile {
	const webhook = node(
		'Webhook',
		'n8n-nodes-base.webhook',
		{
			...{ path, httpMethod: 'POST', options: {} },
			// the answer says that the execution has ended
			...{ responseMode: 'lastNode', responseData: 'noData' },
		},
		{ typeVersion: 2.1, webhookId: path },
	);
	const splitOut = node(ITEMS, 'n8n-nodes-base.splitOut', {
		fieldToSplitOut: 'body.items',
		options: {},
	});
	const start = node(
		START,
		`${packageName}.modelRouter`,
		{
			...{ resource: 'media', operation: 'start' },
			...{ mediaType: '={{ $json.mediaType }}', prompt: '={{ $json.prompt }}' },
			model: { __rl: true, mode: 'id', value: '={{ $json.model }}' },
			useLedger: true,
			...(hasKeys && { idempotencyKey: '={{ $json.key }}' }),
			options: {
				// the catalog fails, too
				allowUnknownCost: true,
				// by which each row of the ledger can be found
				ledgerLabel: '={{ $json.key }}',
			},
			// a service that hangs is given up before long
			requestSettings: { concurrency: 20, idleTimeout: 10 },
		},
		{ ...using(account), onError: 'continueErrorOutput' },
	);
	return chained(`start ${path}`, [webhook, splitOut, start]);
}

/** Seconds of each minute at which the trigger polls. */
const POLLS = [5, 15, 25, 35, 45, 55];

/** Brings each finished job to the recorder, and in the mode `confirmed` confirms it after that. */
export function triggerWorkflow(
	account: SavedCredential,
	recorder: string,
	delivery: Delivery,
): WorkflowFile {
	const trigger = node(
		'Trigger',
		`${packageName}.modelRouterTrigger`,
		{
			pollTimes: {
				item: POLLS.map((second) => ({ mode: 'custom', cronExpression: `${second} * * * * *` })),
			},
			...(delivery === 'confirmed' && { deliveredWhen: delivery }),
			options: { deliverAgainAfter: 5, maxJobs: 25 },
		},
		using(account),
	);
	const hasFile = node(
		'Has a File?',
		'n8n-nodes-base.if',
		{
			conditions: {
				options: { caseSensitive: true, leftValue: '', typeValidation: 'loose', version: 2 },
				conditions: [
					{
						id: 'has-a-file',
						leftValue: '={{ $binary?.data !== undefined }}',
						rightValue: '',
						operator: { type: 'boolean', operation: 'true', singleValue: true },
					},
				],
				combinator: 'and',
			},
			options: {},
		},
		{ typeVersion: 2.2 },
	);
	const record = (name: string, body: Record<string, unknown>) =>
		node(
			name,
			'n8n-nodes-base.httpRequest',
			{
				method: 'POST',
				url: `={{ '${recorder}/' + $json.mediaType + '/' + encodeURIComponent($json.jobId) }}`,
				...body,
				options: {},
			},
			{ typeVersion: 4.2 },
		);
	const withFile = record('Record the File', {
		...{ sendBody: true, contentType: 'binaryData', inputDataFieldName: 'data' },
	});
	const withoutFile = record('Record', {});
	const confirm = node(
		'Confirm',
		`${packageName}.modelRouter`,
		{
			...{ resource: 'ledger', operation: 'confirmDelivery' },
			...{ mediaType: '={{ $json.mediaType }}', jobId: '={{ $json.jobId }}' },
		},
		using(account),
	);
	const records = [withFile, withoutFile];
	const isConfirmed = delivery === 'confirmed';
	return {
		name: 'bring',
		nodes: [trigger, hasFile, ...records, ...(isConfirmed ? [confirm] : [])],
		connections: {
			Trigger: { main: [[to(hasFile)]] },
			[hasFile.name]: { main: records.map((each) => [to(each)]) },
			...(isConfirmed &&
				Object.fromEntries(records.map(({ name }) => [name, { main: [[to(confirm)]] }]))),
		},
		settings: { executionOrder: 'v1' },
	};
}

/** Makes the ledger's table. */
export const firstUseWorkflow = (account: SavedCredential): WorkflowFile =>
	chained('first use', [
		node('When clicking', 'n8n-nodes-base.manualTrigger', {}),
		node(
			'Get Many',
			`${packageName}.modelRouter`,
			{ resource: 'ledger', operation: 'getMany' },
			using(account),
		),
	]);

const using = ({ type, id, name }: SavedCredential) => ({ credentials: { [type]: { id, name } } });

const to = ({ name }: WorkflowNode) => ({ node: name, type: 'main', index: 0 });

const chained = (name: string, nodes: WorkflowNode[]): WorkflowFile => ({
	name,
	nodes,
	connections: Object.fromEntries(
		nodes.slice(1).map((each, at) => [nodes[at]!.name, { main: [[to(each)]] }]),
	),
	settings: { executionOrder: 'v1' },
});
