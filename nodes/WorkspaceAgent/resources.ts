import type { ServiceAccess } from '../../src/n8n/connection';
import type { CredentialProbe } from '../../src/n8n/credentialTest';
import { BEARER } from '../../src/core/keyPlace';
import type { Resource } from '../../src/n8n/operation';
import { send } from './message/send.operation';

export const access: ServiceAccess = {
	credential: 'workspaceAgentApi',
	credentialName: 'Workspace Agent API',
	keyPlace: () => BEARER,
	endpoints: /\/session\/[^/]+\/messages$/,
};

/** A session id that is never used. */
const NIL_UUID = '00000000-0000-0000-0000-000000000000';

/** A GET where only POST is specified: it starts no conversation, and the service checks the key first. */
export const probe: CredentialProbe = {
	service: 'The workspace agent',
	method: 'GET',
	path: `/session/${NIL_UUID}/messages`,
	judge: ({ status }) =>
		// 502 and the like are from what is between n8n and the service
		[401, 403, 407].includes(status) || (status >= 300 && status < 400) || status >= 502
			? undefined
			: {
					status: 'OK',
					message: `The address was reached (it answered ${status}); the key is not verified, because that would start a conversation`,
				},
};

export const resources: Resource[] = [
	{ name: 'Message', value: 'message', operations: [send], defaultOperation: 'send' },
];
