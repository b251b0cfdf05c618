import type { ICredentialDataDecryptedObject, IHttpRequestOptions } from 'n8n-workflow';

import { normalizeApiKey } from '../core/urls';
import { findKeyOrigins, isTablesAddress } from './ledgerCredential';

/**
 * Makes a credential's `authenticate`, which puts a key into one header. The target of the request chooses the key: the service's
 * key only goes to the origin of the base URL, n8n's own key only to the Data Tables below the n8n URL, and any other address gets none.
 *
 * A function takes half the time of n8n's declarative form, which evaluates an expression per request. It returns a copy, so the
 * key never gets into the caller's options.
 *
 * @param name The service's header.
 * @param value Makes the header's value from the key.
 */
export function createHeaderAuth(name: string, value: (key: string) => string = (key) => key) {
	return async (
		credentials: ICredentialDataDecryptedObject,
		options: IHttpRequestOptions,
	): Promise<IHttpRequestOptions> => {
		const { service, n8n } = findKeyOrigins(credentials);
		const targets = findTargets(options);
		const isCertainly = (check: (target: URL) => boolean) =>
			targets.length > 0 && targets.every(check);
		if (isCertainly(({ origin }) => origin === service))
			return withHeader(options, name, value(normalizeApiKey(credentials['apiKey'])));
		if (isCertainly((target) => target.origin === n8n && isTablesAddress(credentials, target)))
			return withHeader(options, N8N_HEADER, normalizeApiKey(credentials['n8nApiKey']));
		return { ...options };
	};
}

/** The header of n8n's public API. */
export const N8N_HEADER = 'X-N8N-API-KEY';

function withHeader(
	options: IHttpRequestOptions,
	name: string,
	value: string,
): IHttpRequestOptions {
	const headers = Object.entries(options.headers ?? {}).filter(
		([given]) => given.toLowerCase() !== name.toLowerCase(),
	);
	return { ...options, headers: { ...Object.fromEntries(headers), [name]: value } };
}

/**
 * The address that a request goes to, in both ways to read it; none if it is unusable. axios appends an address without a scheme and a
 * host to `baseURL`, while n8n's own checks resolve it against `baseURL` (axios 1.18.0, lib/core/buildFullPath.js; @n8n/backend-network
 * 2.41, http/axios/utils.js:276). n8n's older requests name the address `uri`.
 */
function findTargets(options: IHttpRequestOptions): URL[] {
	const { url, baseURL, uri } = options as IHttpRequestOptions & { uri?: unknown };
	const address = String(url || uri || '');
	const isAbsolute = /^([a-z][a-z\d+\-.]*:)?\/\//i.test(address);
	const appended = baseURL && !isAbsolute ? `${baseURL}/${address}` : address;
	if (!URL.canParse(appended) || !URL.canParse(address, baseURL)) return [];
	return [new URL(appended), new URL(address, baseURL)];
}
