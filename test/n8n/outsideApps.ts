import type { WorkflowFile, WorkflowNode } from './workflow.ts';

/** The nodes of apps that are not on loopback: how their types begin. */
const OUTSIDE_APPS =
	/^n8n-nodes-base\.(slack|telegram|gmail|googleDrive|googleSheets|microsoftTeams)/;

const isOutside = ({ type }: WorkflowNode) => OUTSIDE_APPS.test(type);
const isTrigger = ({ type }: WorkflowNode) => /Trigger$/.test(type);

/**
 * A workflow whose nodes of outside apps need no account. A trigger gives `events`, one item each. Every other one gives back
 * what it would have sent, as the fields of its parameters with their expressions evaluated, and the files of its item.
 */
export function withoutOutsideApps(
	file: WorkflowFile,
	events: Array<Record<string, unknown>> = [],
): WorkflowFile {
	const triggers = file.nodes.filter((node) => isOutside(node) && isTrigger(node));
	return {
		...file,
		nodes: file.nodes.map((node) => {
			if (!isOutside(node)) return node;
			return isTrigger(node) ? withEvents(node) : recording(node);
		}),
		pinData: Object.fromEntries(
			triggers.map(({ name }) => [name, events.map((json) => ({ json }))]),
		),
	};
}

const withEvents = (node: WorkflowNode): WorkflowNode => ({
	...node,
	credentials: {},
	...{ type: 'n8n-nodes-base.manualTrigger', typeVersion: 1, parameters: {} },
});

const recording = (node: WorkflowNode): WorkflowNode => ({
	...node,
	credentials: {},
	...{ type: 'n8n-nodes-base.set', typeVersion: 3.4 },
	parameters: {
		assignments: { assignments: assignmentsOf(node.parameters) },
		// Edit Fields drops the files where it includes no other fields (n8n-nodes-base 2.41.1, Set/v2/helpers/utils.js:49)
		...{ includeOtherFields: true, include: 'selected', includeFields: '' },
		options: { stripBinary: false },
	},
});

/** One assignment for each value in the parameters; its name is the path to it, which Edit Fields makes objects of. */
function assignmentsOf(value: unknown, path: string[] = []): Array<Record<string, unknown>> {
	if (typeof value === 'object' && value !== null)
		return Object.entries(value).flatMap(([key, inner]) => assignmentsOf(inner, [...path, key]));
	const name = path.join('.');
	return [{ id: name, name, value, type: typeof value }];
}
