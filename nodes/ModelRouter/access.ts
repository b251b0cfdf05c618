import { randomUUID } from 'crypto';
import type { ICredentialDataDecryptedObject } from 'n8n-workflow';

import { endOfSentence, invalidInputError, withFullStop } from '../../src/core/errors';
import { formatUsd } from '../../src/core/money';
import { type Accounts, createAccounts } from '../../src/core/accounts';
import { NodeBudget } from '../../src/spending/budget';
import { BudgetBook } from '../../src/spending/budgetBook';
import { readBudgetSettings } from '../../src/spending/budgetSettings';
import { openTable } from '../../src/tables/dataTable';
import { checkLedgerKey, openLedger } from '../../src/ledger/openLedger';
import { LONG_RETRY_ATTEMPTS, SHORT_RETRY_ATTEMPTS } from '../../src/tables/retries';
import { NodeSpending } from '../../src/spending/record';
import { spendingFormat } from '../../src/spending/recordBook';
import { SpendingWriter } from '../../src/spending/spendingWriter';
import type { CredentialHost, ServiceAccess } from '../../src/n8n/connection';
import { findSpendingTable, readLedgerPart } from '../../src/n8n/credential';
import {
	createCredentialTest,
	notFromServiceResult,
	type CredentialProbe,
} from '../../src/n8n/credentialTest';
import { keepPerKey } from '../../src/n8n/memory/sharedCache';
import { readOwnPrices } from '../../src/core/ownPrices';
import { findModels } from '../../src/router/catalog';
import { formOf } from '../../src/router/catalogPrices';
import { createModelFinder, describeMissingModel } from '../../src/router/model';
import { readModelLists } from '../../src/core/modelLists';
import {
	hostOf,
	keyPlaceOf,
	type ModelService,
	rootOf,
	serviceAt,
	SERVICES,
} from '../../src/router/services';

/** The budget of a credential, for all node runs of this process. */
const budgetBookOf = keepPerKey((credentialId) => new BudgetBook(credentialId));
/** The same for its record of spending. */
const spendingWriterOf = keepPerKey(() => new SpendingWriter());

export const access: ServiceAccess = {
	credential: 'modelRouterApi',
	credentialName: 'Model Router API',
	keyPlace: keyPlaceOf,
	version: 'v1',
	endpoints:
		/\/v1\/(models|(images?|videos?|music|audio)\/jobs)(\/.*)?$|(\/v1)?\/(responses|messages|embeddings|completions)$/,
	complete: '/chat/completions',
	rootOf,
	readModelLists: ({ modelLists }, name) => readModelLists(modelLists, name),
	openAccounts: (host) => createAccounts(host.sum, openBudget(host), openSpending(host)),
};

function openBudget({ data, credentialId, connectLedger, clock, user }: CredentialHost) {
	const settings = readBudgetSettings(data);
	if (!settings) return undefined;
	if (!credentialId)
		throw invalidInputError(
			'n8n does not say which credential this is, so its budget is unknown',
			'Nothing was sent. Choose the credential in the node again.',
		);
	const spender = user();
	return new NodeBudget({
		...spender,
		settings,
		clock,
		credentialId,
		newId: randomUUID,
		book: budgetBookOf(credentialId),
		open: async () =>
			await openLedger(connectLedger(), clock, spender.executionId, LONG_RETRY_ATTEMPTS),
	});
}

function openSpending({
	data,
	credentialId,
	connectLedger,
	uncancellableClock,
	user,
}: CredentialHost) {
	const table = findSpendingTable(data);
	if (table === undefined) return undefined;
	const { workflowId, workflow, nodeId, node, executionId, addHint, logError } = user();
	return new NodeSpending({
		writer: spendingWriterOf(`${credentialId} ${table}`),
		async open() {
			requireOwnTable(data, table);
			const n8n = { ...connectLedger(), table, subject: 'The record of spending' };
			return await openTable(n8n, spendingFormat, n8n.clock, SHORT_RETRY_ATTEMPTS);
		},
		clock: uncancellableClock,
		table,
		log: (lost) => logError('The record of spending lacks what a workflow has spent', lost),
		credentialId,
		addHint,
		spender: { workflowId, workflow, nodeId, node, lastExecutionId: executionId },
	});
}

/** Otherwise the columns of both would end up in one table. @throws ServiceError `invalid`. */
function requireOwnTable(data: ICredentialDataDecryptedObject, table: string): void {
	if (!table) throw invalidInputError('Spending Table is empty', 'Enter it in the credential.');
	if (table === readLedgerPart(data).table)
		throw invalidInputError(
			`Job Ledger Table and Spending Table are both "${table}"`,
			'Enter the name of another table in Spending Table of the credential.',
		);
}

/** The budget of the credential. @throws ServiceError `invalid` if it has none. */
export function requireBudget({ accounts: { budget } }: { accounts: Accounts }) {
	if (budget) return budget;
	throw invalidInputError(
		'The credential has no budget',
		'Turn on Use a Job Ledger in the Model Router API credential, and enter an amount in Budget (USD).',
	);
}

/** Where the credential writes down what it spends. @throws ServiceError `invalid` if it records nothing. */
export function requireSpending({ accounts: { spending } }: { accounts: Accounts }) {
	if (spending) return spending;
	throw invalidInputError(
		'The credential does not record what is spent',
		'Turn on Use a Job Ledger and Record Spending in the Model Router API credential. Earlier spending is not known.',
	);
}

/** The catalog costs nothing. */
function createProbe({ baseUrl }: ICredentialDataDecryptedObject): CredentialProbe {
	const service = serviceAt(baseUrl);
	const name = service?.name ?? 'The model router';
	return {
		service: name,
		proof({ body }) {
			const { proof } = service ?? serviceOfCatalog(body) ?? {};
			return proof && `/v1${proof}`;
		},
		method: 'GET',
		path: '/v1/models',
		absent: 'For a service without a list of models, enter its models in Prices',
		maybePublic: 'its list of models',
		checkFields(data) {
			readBudgetSettings(data);
			readModelLists(data['modelLists']);
			readOwnPrices(data['ownPrices'], '');
		},
		judge({ status, body }, data) {
			if ([404, 405].includes(status) && readOwnPrices(data['ownPrices'], hostOf(baseUrl)).size)
				return {
					status: 'OK',
					message: `${name} was reached, and has no list of models: those with a line in Prices can be used. Whether it accepts the key is not known`,
				};
			if (status < 200 || status >= 300) return undefined;
			const models = findModels(body, service?.prices);
			if (!models)
				return notFromServiceResult('The address answered, but not with a catalog of models');
			const find = createModelFinder(models);
			const missing = readModelLists(data['modelLists']).flatMap(({ name, models: ids }) =>
				ids
					.filter((id) => !find(id))
					.map((id) =>
						withFullStop(`List "${name}": ${endOfSentence(describeMissingModel(models, id))}`),
					),
			);
			if (!missing.length) return undefined;
			// n8n's editor only shows the message of a failed test
			const message = `${name} was reached. ${missing.join(' ')} Such models are passed over: correct Model Lists`;
			return { status: 'Error', message };
		},
	};
}

/**
 * A service behind another host, such as a proxy of the own network, by the form of its catalog. Others have the same form, and may give
 * their list to everybody.
 */
function serviceOfCatalog(body: unknown): ModelService | undefined {
	const form = findModels(body)?.map(formOf).find(Boolean);
	return form && SERVICES.find(({ prices, proof }) => prices === form.name && proof !== '/models');
}

/**
 * Tests the job ledger, and whether the budget of the credential can be bypassed.
 *
 * @throws ServiceError if it can be bypassed: n8n's editor only shows the message of a failed test.
 */
async function checkLedger(
	api: Parameters<typeof checkLedgerKey>[0],
	table: string,
	data: ICredentialDataDecryptedObject,
): Promise<string> {
	const settings = readBudgetSettings(data);
	const spendingTable = findSpendingTable(data);
	if (spendingTable !== undefined) requireOwnTable(data, spendingTable);
	const ledger = await checkLedgerKey(api, table);
	if (settings && data['allowedHttpRequestDomains'] !== 'none')
		throw invalidInputError(
			`The budget of ${formatUsd(settings.amount)} a ${settings.length} can be bypassed: n8n's HTTP Request node may spend with this credential`,
			'Set "Allowed HTTP Request Domains" to None.',
		);
	return ledger;
}

export const testModelRouterApi = createCredentialTest(access, createProbe, checkLedger);
