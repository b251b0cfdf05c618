import type { Probe } from '../../src/n8n/credentialTest';
import type { ServiceAccess } from '../../src/n8n/connection';

export const access: ServiceAccess = { credential: 'modelRouterApi', version: 'v1' };

/** The catalog costs nothing. */
export const probe: Probe = {
	method: 'GET',
	path: '/v1/models',
	version: 'v1',
	header: (key) => ({ 'X-API-KEY': key }),
	judge: () => undefined,
};
