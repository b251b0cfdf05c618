import type { Probe } from '../../src/n8n/credentialTest';
import type { ServiceAccess } from '../../src/n8n/connection';

/** n8n's own public API. */
export const ledgerAccess: ServiceAccess = {
	credential: 'mediaJobLedgerApi',
	version: 'api/v1',
	plain: true,
};

export const ledgerProbe: Probe = {
	method: 'GET',
	path: '/api/v1/data-tables?limit=1',
	version: 'api/v1',
	plain: true,
	header: (key) => ({ 'X-N8N-API-KEY': key }),
	judge: (status) =>
		status === 403
			? {
					status: 'OK',
					message:
						'n8n accepted the key. It may not list tables, so Table has to be the ID of the ledger.',
				}
			: undefined,
};
