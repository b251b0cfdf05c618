import { randomUUID } from 'node:crypto';

import { bridgeOfFile } from './bridge.ts';
import { chatMessage, type SavedCredential } from './editor.ts';
import { exampleFor, withModels } from './example.ts';
import { itemsOf, type Execution } from './execution.ts';
import { mailOfFile } from './mailServer.ts';
import type { WorkflowFile, WorkflowNode } from './workflow.ts';
import type { ServiceOptions } from '../service/service.ts';

/** Examples in a real n8n. By default the service answers as in the demo; what they ask by mail is read by the test. */
export function galleryOfFile(options: ServiceOptions = { personas: true }) {
	const bridge = bridgeOfFile(options);
	const mail = mailOfFile(() => bridge.editor);

	/** An example with accounts and models of the service. @param events What a trigger of an outside app gives. */
	const load = (file: string, events?: Array<Record<string, unknown>>) => {
		const accounts = { ...bridge.accounts, smtp: mail.account };
		const example = withModels(exampleFor(accounts, file));
		return withoutOutsideApps(askingByMail(example, mail.account), events);
	};

	const run = async (file: WorkflowFile, given: RunOptions = {}) => {
		const { id, nodes } = await bridge.editor.importWorkflow(file);
		return await runSaved({ id, nodes }, given);
	};
	/** Executes a workflow, which has to succeed. */
	const runSaved = async (
		{ id, nodes }: { id: string; nodes: WorkflowNode[] },
		{ trigger, given }: RunOptions = {},
	) => {
		const from = nodes.filter(({ name }) => trigger === undefined || name === trigger);
		return ended(await bridge.editor.run({ id, nodes: from }, given));
	};

	const sentTo = (path: RegExp) =>
		bridge.service.requests.filter(
			(request) => request.method === 'POST' && path.test(request.path),
		);
	return {
		bridge,
		load,
		run,
		runSaved,
		sentTo,
		/** Writes into the chat of an example, as the editor does. */
		chat: async (file: string, text: string) => await run(load(file), { given: chatMessage(text) }),
		start: async (file: WorkflowFile, given?: Record<string, unknown>) =>
			await bridge.editor.start(await bridge.editor.importWorkflow(file), given),
		finished: async (id: string) => ended(await bridge.editor.finished(id)),
		/** The next mail, once the execution waits for its answer. */
		mailOf: async (id: string) => await mail.server.next(bridge.editor, id),
		/** The latest mail, if nobody has to answer it. */
		lastMail: () => mail.server.mails.at(-1),
		modelCalls: () => sentTo(/chat\/completions/),
	};
}

interface RunOptions {
	/** The trigger at which it begins; by default the first. */
	trigger?: string;
	/** What the trigger gives. */
	given?: Record<string, unknown>;
}

/** @returns the execution, which has succeeded */
export function ended(execution: Execution): Execution {
	expect(execution.error?.message).toBeUndefined();
	expect(execution.status).toBe('success');
	return execution;
}

/** The data of a node's items. For a node of an outside app: what it would have sent. */
export const given = (execution: Execution, node: string) =>
	itemsOf(execution, node).map(({ json }) => json);

/** What a node would have said: the text of each of its items. */
export const textsOf = (execution: Execution, node: string) =>
	given(execution, node).map(({ text }) => text);

/** The same workflow with a table of its own, so that no row is of another test. */
export const withTable = (file: WorkflowFile, name: string) =>
	JSON.parse(
		JSON.stringify(file).replaceAll(`"${name}"`, `"${name} ${randomUUID()}"`),
	) as WorkflowFile;

/** The rows that a Data Table has got, without what n8n adds to each. Where a node ran for each of two branches: of both. */
export const rowsOf = ({ runData }: Execution, node: string) =>
	(runData[node] ?? [])
		.flatMap(({ data }) => data?.main?.[0] ?? [])
		.map(({ json: { id, createdAt, updatedAt, ...row } }) => {
			expect([id, createdAt, updatedAt]).not.toContain(undefined);
			return row;
		});

const MAIL = { resource: 'email', fromEmail: 'agents@example.com', toEmail: 'you@example.com' };

/** A workflow that asks a person by mail and not in Slack, so that an answer can be given. */
export const askingByMail = (file: WorkflowFile, { id, name }: SavedCredential): WorkflowFile => ({
	...file,
	nodes: file.nodes.map((node) => {
		const { type, parameters } = node;
		const asks = parameters['operation'] === 'sendAndWait';
		if (!asks || !/^n8n-nodes-base\.slack(Tool)?$/.test(type)) return node;
		return {
			...node,
			type: type.replace('slack', 'emailSend'),
			typeVersion: 2.1,
			credentials: { smtp: { id, name } },
			parameters: { ...parameters, ...MAIL, subject: node.name },
		};
	}),
});

/** The nodes of apps that are not on loopback: how their types begin. */
const OUTSIDE_APPS =
	/^n8n-nodes-base\.(slack|telegram|gmail|googleDrive|googleSheets|microsoftTeams)/;

/**
 * A workflow whose nodes of outside apps need no account. A trigger gives `events`, one item each. Every other one gives back
 * what it would have sent, as the fields of its parameters with their expressions evaluated, and the files of its item.
 */
export function withoutOutsideApps(
	file: WorkflowFile,
	events: Array<Record<string, unknown>> = [],
): WorkflowFile {
	const pinData: NonNullable<WorkflowFile['pinData']> = {};
	const nodes = file.nodes.map((node) => {
		if (!OUTSIDE_APPS.test(node.type)) return node;
		if (!node.type.endsWith('Trigger')) return recording(node);
		pinData[node.name] = events.map((json) => ({ json }));
		const manual = { type: 'n8n-nodes-base.manualTrigger', typeVersion: 1, parameters: {} };
		return { ...node, credentials: {}, ...manual };
	});
	return { ...file, nodes, pinData };
}

const recording = (node: WorkflowNode): WorkflowNode => ({
	...node,
	credentials: {},
	type: 'n8n-nodes-base.set',
	typeVersion: 3.4,
	parameters: {
		assignments: { assignments: assignmentsOf(node.parameters) },
		// Edit Fields drops the files where it includes no other fields (n8n-nodes-base 2.41.1, Set/v2/helpers/utils.js:49)
		includeOtherFields: true,
		include: 'selected',
		includeFields: '',
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
