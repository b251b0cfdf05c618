import { invalidInputError } from '../../src/core/errors';
import { openLedger } from '../../src/ledger/openLedger';
import { createSlotBook } from '../../src/ledger/slotBook';
import type { ServiceAccess } from '../../src/n8n/connection';
import { notFromServiceResult, type CredentialProbe } from '../../src/n8n/credentialTest';
import { X_API_KEY } from '../../src/core/keyPlace';
import type { Resource } from '../../src/n8n/operation';
import { ask } from './question/ask.operation';

export const access: ServiceAccess = {
	credential: 'marketAssistantApi',
	credentialName: 'Crypto Q&A API',
	keyPlace: () => X_API_KEY,
	version: 'v1',
	endpoints: /(\/v1)?\/invoke_assistant(_stream)?$/,
	// better to ask a question without the chat of its session than late
	ledgerTimeout: 5,
	openSlotBook: (connectLedger, limit) =>
		createSlotBook(async () => {
			const { httpWithoutRetries: http, ...connection } = connectLedger();
			return await openLedger({ ...connection, http }, connection.clock, '');
		}, limit),
	requestsPerMinute({ plan, requestsPerMinute }) {
		if (plan === 'pro') return 300;
		// one that n8n's API has made may have no plan
		if (plan !== 'custom') return 60;
		const limit = Number(requestsPerMinute);
		if (limit >= 1 && Number.isFinite(limit)) return limit;
		throw invalidInputError(
			'Requests per Minute must be a number of 1 or more',
			'It is set in the credential, next to the plan.',
		);
	},
};

/**
 * Sends no question: if the key is valid, the service answers that the question is missing. It checks the key of every request. Whatever
 * accepts a request without a question is not the assistant.
 */
export const probe: CredentialProbe = {
	service: 'Crypto Q&A',
	method: 'POST',
	path: '/v1/invoke_assistant',
	body: {},
	judge({ status, page }) {
		const isRefusal = status === 400 || status === 422;
		if (isRefusal && page) return notFromServiceResult(`The address answered with ${page}`);
		if (isRefusal) return { status: 'OK', message: 'Crypto Q&A accepted the key' };
		return status >= 200 && status < 300
			? notFromServiceResult('The address answered, but not like the assistant')
			: undefined;
	},
};

export const resources: Resource[] = [
	{ name: 'Question', value: 'question', operations: [ask], defaultOperation: 'ask' },
];
