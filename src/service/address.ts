import { invalid } from './errors';

/**
 * Checks a base URL and brings it into one form: no trailing slash, and without the version where `version` names one.
 *
 * @param version A last path segment that may be there, missing or doubled, e.g. `v1`; it is taken off.
 * @param plain Whether http:// will do everywhere, for what is asked inside a network only.
 * @throws ServiceError `invalid`, with a sentence for the person who typed it.
 */
export function normaliseBaseUrl(typed: string, version?: string, plain = false): string {
	const text = withoutBlanks(typed);
	if (!text) throw invalid('The base URL is empty', 'Fill it in in the credential.');
	const url = URL.canParse(text) ? new URL(text) : undefined;
	if (!url || !/^https?:\/\//i.test(text)) {
		throw invalid(
			'The base URL is no web address',
			'It has to begin with https:// and is set in the credential.',
		);
	}
	if (url.protocol === 'http:' && !plain && !isLoopback(url.hostname)) {
		throw invalid(
			'The base URL must begin with https://',
			'Over http:// the API key could be read on the way.',
		);
	}
	if (url.username || url.password)
		throw invalid('The base URL must not contain a user name or password');
	if (url.search || url.hash || /[?#]/.test(text))
		throw invalid('The base URL must not contain "?" or "#"');
	let path = url.pathname.replace(/\/+$/, '');
	while (version && path.endsWith(`/${version}`))
		path = path.slice(0, -version.length - 1).replace(/\/+$/, '');
	return url.origin + path;
}

/**
 * Checks an API key; blanks around it, which come along with copying, are dropped.
 *
 * @throws ServiceError `invalid`. The key is not in the message.
 */
export function cleanKey(typed: unknown): string {
	const key = withoutBlanks(typeof typed === 'string' ? typed : '');
	if (!key) throw invalid('The API key is empty', 'Fill it in in the credential.');
	if (!/^[\x21-\x7e]+$/.test(key)) {
		throw invalid(
			'The API key contains a blank or a character that no key has',
			'Copy it again into the credential.',
		);
	}
	return key;
}

/**
 * Where a redirect leads, as long as nobody on the way can read along: https, or plain http from this machine to itself.
 *
 * @param from The address that was asked.
 * @param location The `Location` header of the answer.
 * @returns undefined where it must not be followed.
 */
export function redirectTarget(
	from: string,
	location: string,
): { url: string; sameOrigin: boolean } | undefined {
	if (!URL.canParse(location, from)) return undefined;
	const [here, target] = [new URL(from), new URL(location, from)];
	const onThisMachine =
		here.protocol === 'http:' && target.protocol === 'http:' && isLoopback(target.hostname);
	if (target.protocol !== 'https:' && !onThisMachine) return undefined;
	if (target.username || target.password) return undefined;
	target.hash = '';
	return { url: target.href, sameOrigin: target.origin === here.origin };
}

/** Drops blanks of all kinds at both ends, zero-width ones included. */
function withoutBlanks(text: string): string {
	return text.replace(/^[\s\u200b-\u200d\u2060\ufeff]+|[\s\u200b-\u200d\u2060\ufeff]+$/g, '');
}

function isLoopback(hostname: string): boolean {
	return hostname === 'localhost' || hostname === '[::1]' || /^127(\.\d{1,3}){3}$/.test(hostname);
}
