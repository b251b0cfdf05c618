// What the demo talks to beside the reference service: an agent on the server of A2A's own SDK, and models at a stand-in of OpenRouter.
// Both have the answers of the demo.
import { A2aServer } from '../test/n8n/a2aServer.ts';
import { model, packageName } from '../test/n8n/bridge.ts';
import type { CredentialSecret } from '../test/n8n/editor.ts';
import { isOpen, readExample } from '../test/n8n/example.ts';
import type { WorkflowFile, WorkflowNode } from '../test/n8n/workflow.ts';
import { rowOf } from '../test/service/modelServices/rows.ts';
import { standIn } from '../test/service/modelServices/stand.ts';
import { askOfChat } from '../test/service/router/ask.ts';
import { factsOf, scriptedAnswer } from './personas/agent.ts';
import { modelAnswer } from './personas/model.ts';

export type Elsewhere = Awaited<ReturnType<typeof startElsewhere>>;

/** An agent on the server of A2A's own SDK. */
export const a2aAgent = async (): Promise<A2aServer> =>
	await A2aServer.start((said) => scriptedAnswer(factsOf('agent', said)) ?? '');

/** What its user enters. */
export const accountOf = ({ url }: A2aServer): CredentialSecret => ({
	type: 'agentServerApi',
	name: 'A2A agent',
	data: { server: 'a2a', baseUrl: url, keyIn: 'none' },
});

export async function startElsewhere() {
	const agent = await a2aAgent();
	const openRouter = await standIn({ ...rowOf('OpenRouter'), says });
	return {
		agent,
		openRouter,
		async stop() {
			await agent.stop();
			await openRouter.stop();
		},
	};
}

/** What a model answers to a request for chat completions. */
export function says(body: Readonly<Record<string, unknown>>) {
	const entry = {
		id: String(body['model']),
		owned_by: '',
		input_modalities: ['text'],
		pricing: {},
	};
	const ask = askOfChat({ ...body }, { entry, kind: 'text', reasoning: false });
	return typeof ask === 'string' ? undefined : modelAnswer(ask, body['messages'], '')?.text;
}

/** What their user enters. */
export const accountsElsewhere = ({ agent, openRouter }: Elsewhere): CredentialSecret[] => [
	accountOf(agent),
	{
		type: 'modelRouterApi',
		name: 'OpenRouter account',
		data: { baseUrl: openRouter.baseUrl, apiKey: openRouter.key, keyIn: 'bearer' },
	},
];

/** The agents that are those of the A2A server, by workflow. */
const ELSEWHERE: Record<string, string> = {
	'two-agents-agree-on-a-date.json': 'Tester',
	'a2a-agent-and-model-agree-under-one-dollar.json': 'Agent Elsewhere',
};

/** An example of the gallery. Where an agent is another server's, so is the model. */
export function readForDemo(file: string): WorkflowFile {
	const example = readExample(file);
	const agent = ELSEWHERE[file];
	if (agent === undefined) return example;
	const account = (type: string, name: string) => ({ credentials: { [type]: { id: null, name } } });
	const moved = (node: WorkflowNode) => {
		const { parameters } = node;
		if (node.name === agent)
			return {
				...node,
				...account('agentServerApi', 'A2A agent'),
				parameters: {
					...parameters,
					agentOf: 'server',
					agent: { __rl: true, mode: 'list', value: '' },
				},
			};
		if (!isOpen(node)) return node;
		return {
			...node,
			...account('modelRouterApi', 'OpenRouter account'),
			parameters: { ...parameters, model: model('openai/gpt-5-mini') },
		};
	};
	return { ...example, nodes: example.nodes.map(moved) };
}

/** Where the list of models of the node is asked for. */
export const modelList = {
	nodeType: `${packageName}.modelRouter`,
	method: 'searchModels',
	parameter: 'model',
	parameters: { resource: 'text', operation: 'message' },
};
