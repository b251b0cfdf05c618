import { randomUUID } from 'crypto';
import type { INodeProperties } from 'n8n-workflow';

import { explain, listAgents, onlyAgent } from '../../../src/agent/asking';
import { findWay } from '../../../src/agent/cards';
import type { AskedServer } from '../../../src/agent/client';
import type { AgentServer } from '../../../src/agent/server';
import { serverOf } from '../../../src/agent/servers';
import { invalidInputError, ServiceError, withDetails } from '../../../src/core/errors';
import type { Http } from '../../../src/core/http';
import type { LookUp } from '../../../src/core/lookup';
import type { PreflightContext } from '../../../src/n8n/operation';
import { withFieldRules } from '../../../src/n8n/parameterFields';

/** Whose agent is asked. n8n chooses the credential by it. */
export const agentOfParam = {
	displayName: 'Agent Of',
	name: 'agentOf',
	type: 'options',
	noDataExpression: true,
	options: [
		{ name: 'Workspace', value: 'workspace', description: 'The service with the three interfaces' },
		{
			name: 'Another Server',
			value: 'server',
			description: 'A2A, AG-UI, AI SDK, Dify, LangGraph, n8n Chat or OpenAI Responses',
		},
	],
	default: 'workspace',
	description:
		'Where the agent runs. The credential that you choose sets it. An agent of AG-UI or the AI SDK remembers nothing: alone in a chat, it forgets. The next item or an Agent Conversation carries what was said.',
} as const satisfies INodeProperties;

export const agentParam = withFieldRules({ inTool: 'notFromModel' })({
	displayName: 'Agent',
	name: 'agent',
	type: 'resourceLocator',
	displayOptions: { show: { agentOf: ['server'] } },
	default: { mode: 'list', value: '' },
	description:
		'Which agent of the server, such as an assistant of LangGraph or a model of OpenAI Responses. Leave it empty if there is only one.',
	modes: [
		{
			displayName: 'From List',
			name: 'list',
			type: 'list',
			typeOptions: { searchListMethod: 'searchAgents', searchable: true },
		},
		{ displayName: 'By ID', name: 'id', type: 'string', placeholder: 'e.g. agent' },
	],
} as const satisfies INodeProperties);

/** The server that was chosen in the credential. @throws ServiceError `invalid`. */
export function readServer(value: unknown): AgentServer {
	const server = serverOf(value);
	if (server) return server;
	throw invalidInputError(
		'The Server of the credential is none that this node knows',
		'Choose one from the list in the credential.',
	);
}

type Checking = Pick<PreflightContext<never>, 'lookUp' | 'baseUrl'>;

/** Finds how the agent of a server is asked, by what is free. @throws ServiceError */
export async function findHow(
	{ lookUp, baseUrl }: Checking,
	server: AgentServer,
	agent: string,
): Promise<AskedServer> {
	const way = await read(
		lookUp,
		server,
		'way',
		async (http) => await findWay(http, server, baseUrl),
	);
	const asked = { server, way, newId: randomUUID };
	if (agent || !server.agents) return { ...asked, agent };
	const agents = await read(
		lookUp,
		server,
		'agents',
		async (http) => await listAgents(http, server),
	);
	return { ...asked, agent: onlyAgent(agents, server.name) };
}

/** What is read once in five minutes, and again where that failed. */
async function read<Value>(
	lookUp: LookUp,
	server: AgentServer,
	what: 'way' | 'agents',
	from: (http: Http) => Promise<Value>,
): Promise<Value> {
	const name = `${what} ${server.value}`;
	let found = await lookUp(name, from);
	if ('missing' in found) found = await lookUp(name, from, found);
	if ('value' in found) return found.value;
	const { error, missing } = found;
	const failure = explain(error ?? new ServiceError('unreachable', missing), server);
	// nothing was sent to the agent
	throw withDetails(failure, { outcome: 'not_started' });
}
