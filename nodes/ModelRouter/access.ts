import { randomUUID } from 'crypto';
import type { ICredentialDataDecryptedObject } from 'n8n-workflow';

import { invalidInputError } from '../../src/core/errors';
import { formatUsd } from '../../src/core/money';
import { NodeBudget } from '../../src/ledger/budget';
import { BudgetBook } from '../../src/ledger/budgetBook';
import { readBudgetSettings } from '../../src/ledger/budgetSettings';
import { openLedger } from '../../src/ledger/dataTable';
import { LONG_RETRY_ATTEMPTS } from '../../src/ledger/ledger';
import { checkLedgerKey } from '../../src/ledger/tableSetup';
import type { ServiceAccess } from '../../src/n8n/connection';
import { notFromServiceResult, type CredentialProbe } from '../../src/n8n/credentialTest';
import { keepPerKey } from '../../src/n8n/sharedCache';
import { findModels } from '../../src/router/catalog';

/** The budget of a credential, for all node runs of this process. */
const budgetBookOf = keepPerKey((credentialId) => new BudgetBook(credentialId));

export const access: ServiceAccess = {
	credential: 'modelRouterApi',
	credentialName: 'Model Router API',
	version: 'v1',
	openBudget({ data, credentialId, connectLedger, clock, user }) {
		const settings = readBudgetSettings(data);
		if (!settings) return undefined;
		if (!credentialId)
			throw invalidInputError(
				'n8n does not say which credential this is, so its budget is not known',
				'Nothing was sent. Choose the credential in the node again.',
			);
		const { workflow, ...host } = user();
		const open = async () =>
			await openLedger(connectLedger(), clock, host.execution, LONG_RETRY_ATTEMPTS);
		const book = budgetBookOf(credentialId);
		return new NodeBudget({
			...{ ...host, workflow: workflow.name, workflowId: workflow.id },
			...{ settings, book, open, clock, newId: randomUUID },
		});
	},
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

/**
 * Tests the job ledger, and whether the budget of the credential can be bypassed.
 *
 * @throws ServiceError if it can: n8n's editor shows the words of a test that has failed, and of no other.
 */
export async function checkLedger(
	api: Parameters<typeof checkLedgerKey>[0],
	table: string,
	data: ICredentialDataDecryptedObject,
): Promise<string> {
	const settings = readBudgetSettings(data);
	const ledger = await checkLedgerKey(api, table);
	if (settings && data['allowedHttpRequestDomains'] !== 'none')
		throw invalidInputError(
			`The budget of ${formatUsd(settings.amount)} a ${settings.length} can be bypassed: n8n's HTTP Request node may spend with this credential`,
			'Set "Allowed HTTP Request Domains" to None.',
		);
	return ledger;
}
