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

/** The credential of a node, beside its parameters. */
export const using = ({ type, id, name }: Record<'type' | 'id' | 'name', string>) => ({
	credentials: { [type]: { id, name } },
});

/** A node that is attached to another one: a chat model, a memory, a tool. */
export interface Attached {
	node: WorkflowNode;
	as: 'ai_tool' | 'ai_languageModel' | 'ai_memory' | 'ai_outputParser';
	/** By default the node that the file is about. */
	to?: string;
	/** Which input of this kind it has there; by default the first. */
	index?: number;
}

/** Adds nodes below others. A node may be attached to several. @param root Where they are attached, if they do not say. */
export function attach(file: WorkflowFile, root: string, attached: readonly Attached[]) {
	const connections = file.connections as unknown as Record<string, Record<string, object[][]>>;
	for (const { node: added, as, to = root, index = 0 } of attached) {
		if (!file.nodes.some(({ name }) => name === added.name)) file.nodes.push(added);
		const own = (connections[added.name] ??= {});
		(own[as] ??= [[]])[0]?.push({ node: to, type: as, index });
	}
}

/** The workflow with another trigger in place of the manual one. */
export const beginAt = (file: WorkflowFile, trigger: Partial<WorkflowNode>): WorkflowFile => ({
	...file,
	nodes: file.nodes.map((each) => (each.name === start ? { ...each, ...trigger } : each)),
	pinData: {},
});

/** A webhook. By default it streams. */
export const webhook = (
	path: string,
	responseMode: 'streaming' | 'lastNode' | 'onReceived' = 'streaming',
	parameters: Record<string, unknown> = {},
) => ({
	type: 'n8n-nodes-base.webhook',
	typeVersion: 2.1,
	webhookId: path,
	parameters: { path, httpMethod: 'POST', responseMode, options: {}, ...parameters },
});

/** A Chat Trigger at `<webhookId>/chat`. By default it streams. */
export const chatTrigger = (
	webhookId: string,
	responseMode: 'streaming' | 'lastNode' | 'responseNodes' = 'streaming',
): Partial<WorkflowNode> => ({
	type: '@n8n/n8n-nodes-langchain.chatTrigger',
	typeVersion: 1.4,
	webhookId,
	parameters: {
		public: true,
		// n8n's own page alone shows what Chat nodes say
		mode: responseMode === 'responseNodes' ? 'hostedChat' : 'webhook',
		options: { responseMode },
	},
});

/** A node as n8n's editor adds it below an agent: its type has another name. */
export const asTool = (tool: WorkflowNode): WorkflowNode => ({ ...tool, type: `${tool.type}Tool` });

/** n8n's Code Tool. `query` is what it was told. */
export const codeTool = (name: string, jsCode: string): WorkflowNode =>
	node(
		name,
		'@n8n/n8n-nodes-langchain.toolCode',
		{ description: `Code of ${name}`, jsCode },
		{ typeVersion: 1.3 },
	);

/** n8n's AI Agent. Version 3 has n8n's engine run its tools, one after another; 2 runs them by itself, all at once. */
export const aiAgent = (
	name: string,
	text: string,
	parameters: Record<string, unknown> = {},
	settings: Record<string, unknown> = {},
): WorkflowNode =>
	node(
		name,
		'@n8n/n8n-nodes-langchain.agent',
		{ promptType: 'define', text, options: {}, ...parameters },
		{ typeVersion: 3.1, ...settings },
	);

/** n8n's Simple Memory. */
export const memory = (name = 'Memory'): WorkflowNode =>
	node(name, '@n8n/n8n-nodes-langchain.memoryBufferWindow', {}, { typeVersion: 1.4 });

/** n8n's parser of structured output. */
export const parser = (jsonSchemaExample: string): WorkflowNode =>
	node(
		'Parser',
		'@n8n/n8n-nodes-langchain.outputParserStructured',
		{ jsonSchemaExample },
		{ typeVersion: 1.3 },
	);
