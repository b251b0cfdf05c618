import { PollContext, PollTriggerExecutor } from 'n8n-core';
import type {
	INode,
	INodeExecutionData,
	INodeParameters,
	IPollFunctions,
	WorkflowActivateMode,
} from 'n8n-workflow';

import { Container } from './container';
import {
	additionalData,
	copy,
	made,
	ours,
	outcomeOf,
	startFlow,
	workflowOf,
	type Flow,
	type Outcome,
} from './flow';

/** The ID of the workflow tells one trigger from another. */
export interface TriggerOptions
	extends Pick<Flow, 'secrets' | 'mode' | 'workflowId' | 'workflowSettings'> {
	parameters: INodeParameters;
	settings?: Partial<INode>;
}

/** What a poll did. */
export interface Polled {
	/** What it emitted; null for nothing. */
	items: INodeExecutionData[] | null;
	/** What it threw. */
	error: (Error & { description?: string; failure?: unknown }) | undefined;
}

const flowOf = ({ mode = 'trigger', ...options }: TriggerOptions) => ({
	...options,
	mode,
	nodes: [
		ours('Trigger', 'modelRouterTrigger', { credential: 'modelRouterApi', ...options }),
		made('Items', 'test.sink'),
	],
	wires: [['Trigger', 'Items']] as Flow['wires'],
});

/**
 * An active trigger in n8n-core's own poll executor: one context for all its polls, as n8n's default scheduler has it.
 *
 * @param budget Less than 300000 makes every poll one of the durable scheduler, with a context of its own.
 */
export function activated(
	options: TriggerOptions & { activation?: WorkflowActivateMode; budget?: number },
) {
	const { workflow, credentials } = workflowOf(flowOf(options));
	const node = workflow.getNode('Trigger')!;
	const { activation = 'activate', budget = 300_000 } = options;
	let polled: Polled = { items: null, error: undefined };
	const contextOf = () =>
		new PollContext(
			workflow,
			node,
			additionalData(workflow, credentials, 'trigger'),
			'trigger',
			activation,
			([data]) => (polled.items = data ?? null),
			(error) => (polled.error = error),
			undefined,
			undefined,
			undefined,
			() => budget,
		) as unknown as IPollFunctions;
	const single = contextOf();
	let polls = 0;
	return {
		/** The first one is that of the activation, whose error n8n shows. */
		async poll(): Promise<Polled> {
			const isFirst = polls++ === 0 && budget === 300_000;
			polled = { items: null, error: undefined };
			const context = budget < 300_000 ? contextOf() : single;
			const executor = Container.get(PollTriggerExecutor);
			try {
				await executor.create(workflow, node, context, () => true)(isFirst);
			} catch (error) {
				polled.error = error as Error;
			}
			return { ...polled };
		},
		staticData: () => workflow.getStaticData('node', node),
	};
}

/** The execution that a poll starts. What was emitted goes through the database. */
export async function executed(
	options: TriggerOptions & {
		items: INodeExecutionData[];
		/** Called with a way to stop it. */
		onStart?: (stop: () => void) => void;
	},
): Promise<Outcome> {
	const flow = { ...flowOf(options), input: copy(options.items) };
	const { finished, stop, credentials } = startFlow(flow);
	options.onStart?.(stop);
	return outcomeOf(await finished, 'Trigger', credentials);
}
