import { type KeyPlace, keyPlaceIn, X_API_KEY } from '../core/keyPlace';
import { trimWhitespace } from '../core/urls';
import { serviceOf } from './services';

const CHAT = '/chat/completions';

/** The host of a base URL; empty if it has none. */
export function hostOf(baseUrl: unknown): string {
	const address = trimWhitespace(String(baseUrl));
	return URL.canParse(address) ? new URL(address).hostname : '';
}

/** The service at a base URL, if its host is known. */
export const serviceAt = (baseUrl: unknown) => serviceOf(hostOf(baseUrl));

/**
 * Where the key of a credential goes. If that is left to us, where the service takes it that is known by its host, else where the
 * specification says.
 *
 * @param path Of the request.
 * @returns undefined if there is none.
 */
export function keyPlaceOf(
	{ keyIn, baseUrl }: Record<string, unknown>,
	path = CHAT,
): KeyPlace | undefined {
	const { key = X_API_KEY, catalog = key } = serviceAt(baseUrl) ?? {};
	return keyPlaceIn(keyIn, path.endsWith(CHAT) ? key : catalog);
}
