import { isPlainObject } from '../../src/core/json';
import type { ServiceAccess } from '../../src/n8n/connection';
import { notFromServiceResult, type CredentialProbe } from '../../src/n8n/credentialTest';

/** n8n's own public API. */
export const ledgerAccess: ServiceAccess = {
	credential: 'mediaJobLedgerApi',
	version: 'api/v1',
	allowsHttp: true,
};

export const ledgerProbe: CredentialProbe = {
	method: 'GET',
	path: '/api/v1/data-tables?limit=1',
	version: 'api/v1',
	allowsHttp: true,
	header: (key) => ({ 'X-N8N-API-KEY': key }),
	judge({ status, body, page }) {
		const areTables = isPlainObject(body) && Array.isArray(body['data']);
		if (status >= 200 && status < 300 && !areTables)
			return notFromServiceResult('The address answered, but not with a list of Data Tables');
		if (status === 404 && !page)
			return {
				status: 'Error',
				message:
					'n8n has no Data Tables at this address (404). Check the base URL, and that n8n is 2.7 or newer with its public API on.',
			};
		return status === 403 && !page
			? {
					status: 'OK',
					message:
						'n8n accepted the key. The key may not list tables, so Table must be the ID of the ledger.',
				}
			: undefined;
	},
};
