import type { Probe } from '../../src/n8n/credentialTest';
import type { ServiceAccess } from '../../src/n8n/connection';
import { invalid } from '../../src/service/errors';

export const access: ServiceAccess = {
	credential: 'marketAssistantApi',
	version: 'v1',
	perMinute({ plan, requestsPerMinute }) {
		if (plan === 'pro') return 300;
		// a credential that was saved before plans were there
		if (plan !== 'custom') return 60;
		const limit = Number(requestsPerMinute);
		if (limit >= 1) return limit;
		throw invalid(
			'Requests per Minute must be 1 or more',
			'It is set in the credential, beside the plan.',
		);
	},
};

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
