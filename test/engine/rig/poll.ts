import { PollContext, PollTriggerExecutor, WorkflowExecute } from 'n8n-core';
import {
	createRunExecutionData,
	Workflow,
	type INode,
	type INodeExecutionData,
	type INodeParameters,
	type IPollFunctions,
	type IRun,
	type WorkflowActivateMode,
	type WorkflowExecuteMode,
} from 'n8n-workflow';

import { Container } from './container';
import { Credentials, type Secrets } from './credentials';
import { sources } from './pack';
import { additionalData, made, type Outcome } from './run';

export interface TriggerOptions {
	parameters: INodeParameters;
	secrets: Secrets;
	/** Tells one trigger from another. */
	workflowId?: string;
	settings?: Partial<INode>;
	/** As `Workflow` takes them. */
	workflowSettings?: { engineType?: 'v1' | 'v2' };
}

/** What a poll did. */
export interface Polled {
	/** What it emitted; null for nothing. */
	items: INodeExecutionData[] | null;
	/** What it threw. */
	error: (Error & { failure?: unknown }) | undefined;
}

function workflowOf({
	parameters,
	secrets,
	workflowId,
	settings,
	workflowSettings,
}: TriggerOptions) {
	const node: INode = {
		...made('Trigger', 'n8n-nodes-agent-bridge.modelRouterTrigger', parameters),
		credentials: { modelRouterApi: { id: 'modelRouterApi', name: 'Router' } },
		...settings,
	};
	const nodes = [node, made('Items', 'test.sink')];
	const workflow = new Workflow({
		id: workflowId ?? 'workflow-1',
		name: 'test',
		active: true,
		nodes,
		connections: { Trigger: { main: [[{ node: 'Items', type: 'main', index: 0 }]] } },
		nodeTypes: sources.nodeTypes,
		settings: { executionOrder: 'v1', ...workflowSettings },
	});
	return { node, workflow, credentials: new Credentials(sources.credentialTypes, secrets) };
}

/**
 * An active trigger in n8n-core's own poll executor: one context for all its polls, as n8n's default scheduler has it.
 *
 * @param budget Less than 300000 makes every poll one of the durable scheduler, with a context of its own.
 */
export function activated(
	options: TriggerOptions & { activation?: WorkflowActivateMode; budget?: number },
) {
	const { node, workflow, credentials } = workflowOf(options);
	const { activation = 'activate', budget = 300_000 } = options;
	let emitted: INodeExecutionData[] | null = null;
	let failed: Error | undefined;
	const contextOf = () =>
		new PollContext(
			workflow,
			node,
			additionalData(workflow, credentials, 'trigger', undefined),
			'trigger',
			activation,
			(data) => (emitted = data[0] ?? null),
			(error) => (failed = error),
			undefined,
			undefined,
			undefined,
			() => budget,
		);
	const single = contextOf();
	let polls = 0;
	return {
		/** The first one is that of the activation, whose error n8n shows. */
		async poll(): Promise<Polled> {
			const isFirst = polls++ === 0 && budget === 300_000;
			[emitted, failed] = [null, undefined];
			const context = (budget < 300_000 ? contextOf() : single) as unknown as IPollFunctions;
			const executor = Container.get(PollTriggerExecutor);
			try {
				await executor.create(workflow, node, context, () => true)(isFirst);
			} catch (error) {
				failed = error as Error;
			}
			return { items: emitted, error: failed };
		},
		staticData: () => workflow.getStaticData('node', node),
	};
}

/** The execution that a poll starts, in n8n-core's own engine. */
export async function executed(
	options: TriggerOptions & {
		items: INodeExecutionData[];
		mode?: WorkflowExecuteMode;
		/** Called with a way to stop it. */
		onStart?: (stop: () => void) => void;
	},
): Promise<Outcome> {
	const { node, workflow, credentials } = workflowOf(options);
	const { items, mode = 'trigger', onStart } = options;
	const execution = new WorkflowExecute(
		additionalData(workflow, credentials, mode, undefined),
		mode,
		createRunExecutionData({
			executionData: {
				// what was emitted goes through the database
				nodeExecutionStack: [
					{ node, data: { main: [JSON.parse(JSON.stringify(items))] }, source: null },
				],
			},
		}),
	);
	const running = execution.processRunExecutionData(workflow);
	onStart?.(() => running.cancel());
	const run: IRun = await running;
	const last = run.data.resultData.runData['Trigger']?.at(-1)?.data?.['main'];
	return {
		run,
		items: last?.[0] ?? [],
		failed: last?.[1] ?? [],
		error: run.data.resultData.error as Outcome['error'],
		credentialsRead: credentials.read,
	};
}
