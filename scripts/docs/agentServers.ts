import { SERVERS } from '../../src/agent/servers';
import type { AgentServer } from '../../src/agent/server';
import { keyPlaces } from '../../src/core/keyPlace';
import { WRITTEN } from './nodePages';
import { anchored, renderTable } from './table';

const HEAD = `# Which agents

${WRITTEN}

A [Remote Agent](nodes/workspace-agent.md) messages an agent of a workspace, or of another server in the table below.

1. In **Credential** of the node, choose _Create new credential_. At its top right, choose _Another Server_.
2. That is the credential [Agent Server API](nodes/credentials.md#agent-server-api). Choose the server, and enter the base URL as in the table.
3. If the server has several agents, choose one in **Agent**.

What you should know:

- **Base URL**: the address of the server itself. One in your own network may begin with \`http://\`. A card that leads to another address is refused.
- **A2A** means version 1.0 or 0.3, with JSON-RPC. The agent has to publish its card below the base URL.
- **n8n Chat** is a Chat Trigger of any n8n that is publicly available. For its Basic Auth, choose **Key In: None**, and enter \`Authorization\` with \`Basic …\` as an additional header.
- Its **Response Mode** has to be _When Last Node Finishes_, _Using Respond to Webhook_ or _Streaming_. Only the chat of its own n8n reads _Using Response Nodes_.
- **AG-UI** and **AI SDK**: enter the address that the agent's own page or app sends its messages to. Such an agent [remembers nothing](sessions.md#agents-that-remember-nothing), and forgets alone in a chat.
- **OpenAI Responses** is the API of OpenAI and of services that offer the same. **Agent** is the model. To have its cost counted, use the [Model Router](nodes/model-router.md).
- **Dify**: a chatbot or an agent with its own API key. A workflow or a text generator has no chat.
- **A session** works as for a workspace, with [a few differences](sessions.md#at-another-server). The job ledger remembers an ID that the agent has given.
- **The credential test** sends nothing that might start an agent.
- **A decision** of a person, for which an agent waits, is [an option of the node](sessions.md#approve-what-an-agent-waits-for).
- **The answer** is recognized by [its form](troubleshooting.md#forms-of-answers-of-an-agent) alone.
- **The cost** is that of the owner of the agent. No budget or cap of this package counts it.

A server that is not in the table cannot be asked: see [Known limits](known-limits.md#servers-of-agents-that-cannot-be-asked).
`;

const COLUMNS = ['Server', 'Base URL', 'Key In', 'Agent', 'Session ID', 'The credential test proves', 'Tested with'];

/** The page about servers of agents, made from their table. */
export const renderAgentServers = (): string =>
	`${HEAD}\n${renderTable(COLUMNS, SERVERS.map(toRow))}\n`;

const toRow = ({ name, baseUrl, keyIn, agents, card, probe, source, ...row }: AgentServer) => [
	anchored(name),
	`\`${baseUrl}\``,
	keyIn ? keyInName(keyIn) : 'as its owner says',
	agents ? 'choose one' : 'one per address',
	sessionOf(row),
	!probe ? 'nothing' : probe.provesKey ? 'address and key' : `address${card ? ' and card' : ''}`,
	source,
];

const sessionOf = ({ chatAt, history }: Pick<AgentServer, 'chatAt' | 'history'>) => {
	if (history) return "the node's, with `history`";
	return chatAt ? "the node's, or the agent's" : "the node's";
};

/** As the credential names it. */
const keyInName = (value: string) =>
	Object.entries(keyPlaces).find(([place]) => place === value)?.[1].name ?? 'None';
