import { randomUUID } from 'crypto';

import { toRequest } from '../../src/agent/asking';
import { noCardError, wayIn } from '../../src/agent/cards';
import { valueAt } from '../../src/agent/paths';
import type { AgentServer } from '../../src/agent/server';
import { serverOf, WORKSPACE } from '../../src/agent/servers';
import { BEARER } from '../../src/core/keyPlace';
import { isPlainObject } from '../../src/core/json';
import type { ServiceAccess } from '../../src/n8n/connection';
import { type CredentialProbe, notFromServiceResult } from '../../src/n8n/credentialTest';
import { chosenKeyPlace } from '../../src/n8n/headers';
import type { Resource } from '../../src/n8n/operation';
import { sendOperation } from './message/send.operation';

export const access: ServiceAccess = {
	credential: 'workspaceAgentApi',
	credentialName: 'Workspace Agent API',
	keyPlace: () => BEARER,
	endpoints: /\/session\/[^/]+\/messages$/,
};

/** For agents of any other server. */
export const serverAccess: ServiceAccess = {
	credential: 'agentServerApi',
	credentialName: 'Agent Server API',
	keyPlace: chosenKeyPlace,
	endpoints:
		/\/(assistants\/search|threads\/.+|responses|chat-messages|\.well-known\/agent\.json)$/,
	complete: '/.well-known/agent-card.json',
	ledgerTimeout: 5,
};

/** A GET where only POST is specified: it starts no conversation, and the service checks the key first. */
export const probe: CredentialProbe = {
	service: 'The workspace agent',
	method: 'GET',
	path: WORKSPACE.probe?.path ?? '',
	judge: ({ status }) =>
		// 502 and the like are from what is between n8n and the service
		[401, 403, 407].includes(status) || (status >= 300 && status < 400) || status >= 502
			? undefined
			: {
					status: 'OK',
					message: `The address was reached (it answered ${status}); the key is not verified, because that would start a conversation`,
				},
};

/** What the row of the server has for it. */
export function createServerProbe(data: { server?: unknown }): CredentialProbe {
	const server: AgentServer = serverOf(data.server) ?? WORKSPACE;
	const { name, card, agents, probe: form } = server;
	const service = `The ${name} server`;
	if (!form)
		return {
			service,
			method: 'GET',
			path: '',
			untested: `${name} cannot be tested for free: any request may start the agent`,
			judge: () => undefined,
		};
	const { method, path, body } = toRequest({ method: 'GET', ...form }, {}, randomUUID);
	return {
		service,
		method: method === 'GET' ? 'GET' : 'POST',
		path,
		...(body && { body }),
		...(form.provesKey && { maybePublic: 'its list of agents' }),
		judge({ status, body: found }, { baseUrl }) {
			if (card && [404, 405].includes(status)) throw noCardError(server);
			if (status < 200 || status >= 300) return undefined;
			if (card && !isPlainObject(found))
				return notFromServiceResult('The address answered, but not with the card of an agent');
			if (agents && !Array.isArray(valueAt(found, agents.list)))
				return notFromServiceResult('The address answered, but not with a list of agents');
			// what it throws says what is wrong with the card
			if (card) wayIn(found, server, String(baseUrl).trim());
			return form.provesKey
				? undefined
				: {
						status: 'OK',
						message: `The ${name} server was reached; the key is not verified, because that would start a conversation`,
					};
		},
	};
}

export const resources: Resource[] = [
	{ name: 'Message', value: 'message', operations: [sendOperation], defaultOperation: 'send' },
];
