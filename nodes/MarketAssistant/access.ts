import type { Probe } from '../../src/n8n/credentialTest';
import type { ServiceAccess } from '../../src/n8n/connection';

export const access: ServiceAccess = { credential: 'marketAssistantApi', version: 'v1' };

/** Asks nothing: a good key is told that the question is missing. The specification has the key checked with every request. */
export const probe: Probe = {
	method: 'POST',
	path: '/v1/invoke_assistant',
	version: 'v1',
	header: (key) => ({ 'X-API-Key': key }),
	body: {},
	judge: (status) =>
		status === 400 || status === 422
			? { status: 'OK', message: 'The assistant accepted the key' }
			: undefined,
};
