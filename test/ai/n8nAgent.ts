import type { Bridge } from '../n8n/bridge.ts';
import type { SavedCredential } from '../n8n/editor.ts';
import type { WorkflowNode } from '../n8n/workflow.ts';

/** What n8n tells the browser while an agent works. */
interface AgentEvent {
	type: string;
	output?: unknown;
	delta?: string;
	payload: { toolName: string; toolCallId: string; runId: string } | undefined;
}

/** What came of one message to an agent. */
export interface Talk {
	/** What its tools returned, in order. */
	results: unknown[];
	/** What the agent said. */
	said: string;
	/** The call that waits for approval. */
	waiting: AgentEvent['payload'];
}

export interface AgentTool {
	node: WorkflowNode;
	requireApproval?: boolean;
}

/** Makes an n8n Agent as its page does, with these tools and a model of OpenAI's credential type. */
export async function createAgent(
	{ editor }: Pick<Bridge, 'editor'>,
	model: SavedCredential,
	tools: AgentTool[],
) {
	const { id: projectId } = await editor.call<{ id: string }>('GET', '/rest/projects/personal');
	const agents = `/rest/projects/${projectId}/agents/v2`;
	const { id } = await editor.call<{ id: string }>('POST', agents, { name: 'An agent' });
	const path = `${agents}/${id}`;
	const { configHash } = await editor.call<{ configHash: string }>('GET', `${path}/config`);
	await editor.call('PUT', `${path}/config`, {
		baseConfigHash: configHash,
		config: {
			name: 'An agent',
			instructions: 'Use your tools.',
			model: 'openai/stand-in',
			credential: model.id,
			tools: tools.map(toTool),
		},
	});
	const send = async (way: string, body: object) => {
		const text = await editor.call<string>('POST', `${path}/${way}`, body);
		return readTalk(text);
	};
	return {
		/** Says something in a chat of its own. */
		say: async (message: string) => await send('chat', { message }),
		/** Approves or declines the call that waits. */
		resume: async ({ waiting }: Talk, approved: boolean) => {
			if (!waiting) throw new Error('no call waits for approval');
			const { runId, toolCallId } = waiting;
			return await send('chat/resume', { runId, toolCallId, resumeData: { approved } });
		},
	};
}

const toTool = ({ node, requireApproval = false }: AgentTool) => ({
	type: 'node',
	name: node.name,
	description: `Use ${node.name}`,
	requireApproval,
	node: {
		nodeType: node.type,
		nodeTypeVersion: node.typeVersion,
		nodeParameters: node.parameters,
		credentials: node.credentials,
	},
});

/** @throws what n8n reports */
function readTalk(text: string): Talk {
	const events = text
		.split('\n')
		.filter((line) => line.startsWith('data: '))
		.map((line) => JSON.parse(line.slice('data: '.length)) as AgentEvent);
	const failed = events.find(({ type }) => type === 'error');
	if (failed) throw new Error(`the agent failed: ${JSON.stringify(failed)}`);
	const results = events.filter(({ type }) => type === 'tool-result').map(({ output }) => output);
	const waiting = events.find(({ type }) => type === 'tool-call-suspended')?.payload;
	const said = events.filter(({ type }) => type === 'text-delta').map(({ delta }) => delta);
	return { results, said: said.join(''), waiting };
}
