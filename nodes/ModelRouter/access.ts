import type { ServiceAccess } from '../../src/n8n/connection';
import { notFromServiceResult, type CredentialProbe } from '../../src/n8n/credentialTest';
import { findModels } from '../../src/router/catalog';

export const access: ServiceAccess = {
	credential: 'modelRouterApi',
	credentialName: 'Model Router API',
	version: 'v1',
};

/** The catalog costs nothing. */
export const probe: CredentialProbe = {
	service: 'The model router',
	method: 'GET',
	path: '/v1/models',
	version: 'v1',
	header: (key) => ({ 'X-API-KEY': key }),
	judge: ({ status, body }) =>
		status >= 200 && status < 300 && !findModels(body)
			? notFromServiceResult('The address answered, but not with a catalog of models')
			: undefined,
};
