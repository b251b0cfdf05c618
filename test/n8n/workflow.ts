/** A workflow as n8n exports it: no ids of this machine, credentials by name. */
export interface WorkflowFile {
	name: string;
	/** What n8n shows of a template. */
	meta?: { description: string; templateCredsSetupCompleted: boolean };
	nodes: WorkflowNode[];
	connections: Record<
		string,
		{ main: Array<Array<{ node: string; type: string; index: number }>> }
	>;
	settings?: Record<string, unknown>;
	pinData?: Record<string, Array<{ json: Record<string, unknown> }>>;
}

export interface WorkflowNode {
	id: string;
	name: string;
	type: string;
	typeVersion: number;
	position: [number, number];
	parameters: Record<string, unknown>;
	credentials?: Record<string, { id?: string | null; name: string }>;
	[setting: string]: unknown;
}

/** The start node of `workflow`. */
export const start = 'When clicking';

/** A Manual Trigger that gives `input`, and after it `nodes`, one behind the other. */
export function workflow(
	name: string,
	input: Array<Record<string, unknown>>,
	...nodes: WorkflowNode[]
): WorkflowFile {
	const trigger = node(start, 'n8n-nodes-base.manualTrigger', {});
	const names = [start, ...nodes.map((each) => each.name)];
	return {
		name,
		nodes: [trigger, ...nodes].map((each, index) => ({ ...each, position: [index * 220, 0] })),
		connections: Object.fromEntries(
			names
				.slice(1)
				.map((to, index) => [names[index], { main: [[{ node: to, type: 'main', index: 0 }]] }]),
		),
		settings: { executionOrder: 'v1' },
		pinData: { [start]: input.map((json) => ({ json })) },
	};
}

export function node(
	name: string,
	type: string,
	parameters: Record<string, unknown>,
	settings: Record<string, unknown> = {},
): WorkflowNode {
	return { id: name, name, type, typeVersion: 1, position: [0, 0], parameters, ...settings };
}
