import { invalidInputError, ServiceError, shortenText } from './errors';
import { isPresent } from './json';

/** Where `http://` is taken: on this machine alone, also in the own network, or anywhere. */
export type PlainHttp = 'thisMachine' | 'ownNetwork' | 'anywhere';

/**
 * Checks and normalizes a base URL: no trailing slash, and no version segment at the end.
 *
 * @param version A last path segment that may be present, missing or doubled, e.g. `v1`; it is removed.
 * @param name The field, for the message.
 * @throws ServiceError `invalid`, with a message for the user.
 */
export function normalizeBaseUrl(
	input: string,
	version?: string,
	plainHttp: PlainHttp = 'thisMachine',
	name = 'base URL',
): string {
	const text = trimWhitespace(input);
	if (!text) throw invalidInputError(`The ${name} is empty`, 'Enter it in the credential.');
	const url = URL.canParse(text) ? new URL(text) : undefined;
	if (!url || !/^https?:\/\//i.test(text))
		throw invalidInputError(
			`The ${name} is not a web address`,
			'Enter an address that begins with https:// in the credential.',
		);
	if (url.protocol === 'http:' && !takesPlainHttp(url.hostname, plainHttp))
		throw invalidInputError(
			`The ${name} must begin with https://`,
			'Over http:// others could read the API key in transit. It is taken for a host in your own network, such as http://ollama:11434, that is typed in and not an expression.',
		);
	if (url.username || url.password)
		throw invalidInputError(`The ${name} must not contain a user name or password`);
	if (url.search || url.hash || /[?#]/.test(text))
		throw invalidInputError(
			`The ${name} must not contain "?" or "#"`,
			'Remove it, and what comes after it, in the credential.',
		);
	return url.origin + trimPath(url.pathname, version);
}

const takesPlainHttp = (hostname: string, where: PlainHttp) =>
	where === 'anywhere' || (where === 'ownNetwork' ? isOwnHost(hostname) : isLoopback(hostname));

/** Whether a host is this machine, or in the own network. */
export const isOwnHost = (hostname: string): boolean =>
	isLoopback(hostname) || isInOwnNetwork(hostname);

/** What the base URL of a service may be. */
export interface BaseUrlForm {
	/** The version with which the specified paths begin. It may be present, missing or doubled; another one may stand in its place. */
	version?: string;
	/** Matches an end that is an address of the service itself, as its documentation has it. */
	endpoints: RegExp;
	/** The one of these that may stay: what is before it is the root, with a version or without. */
	complete?: string;
	/** What comes before the paths of a service that is known by its host, e.g. `/api/v1`. It stands for any path there without a version. */
	rootOf?(hostname: string): string | undefined;
}

/**
 * Reads the base URL of a credential.
 *
 * @returns with the version, or what stands in its place: `joinUrl` puts a path below it.
 * @throws ServiceError `invalid` as `normalizeBaseUrl`, and for an end that is an address of the service.
 */
export function readBaseUrl(
	input: unknown,
	form: BaseUrlForm,
	plainHttp: PlainHttp = 'ownNetwork',
): string {
	const { version, endpoints, complete } = form;
	const typed = normalizeBaseUrl(String(input ?? ''), undefined, plainHttp);
	if (complete && typed.endsWith(complete)) {
		const root = typed.slice(0, -complete.length);
		return findKnownRoot(root, form) ?? root;
	}
	const [end] = endpoints.exec(typed) ?? [];
	if (end)
		throw invalidInputError(
			`The base URL ends in ${shortenText(end, 100)}`,
			'Remove that part of it in the credential: the node adds what it needs.',
		);
	if (!version) return typed;
	const { origin, pathname } = new URL(typed);
	const path = trimPath(pathname, version);
	const hasOwn = VERSION.test(path) || UNVERSIONED.test(pathname);
	const own = hasOwn ? path : `${path}/${version}`;
	return findKnownRoot(typed, form) ?? origin + own;
}

/** The root of a service that is known by its host, for an address there without a version, or with the start of the root. */
function findKnownRoot(address: string, { version, rootOf }: BaseUrlForm): string | undefined {
	const { origin, hostname, pathname } = new URL(address);
	const root = rootOf?.(hostname);
	const isMeant = !VERSION.test(pathname) || root?.startsWith(`${trimPath(pathname, version)}/`);
	return root && isMeant ? origin + root : undefined;
}

/** A version, or what services have in its place: also with `/openai` after it as of Google, or `/compat` of Cloudflare. */
const VERSION = /\/(v\d+[a-z]*\d*(\/openai)?|compat)$/;

/** The end of an address that needs no version: of GitHub Models, of Vertex AI, of Databricks. */
const UNVERSIONED = /\/(inference|endpoints\/openapi|serving-endpoints)$/;

/** The address of a path. Paths of the specification begin with the version, which the base URL has already. */
export const joinUrl = (baseUrl: string, path: string): string =>
	baseUrl + path.replace(/^\/v1(?=\/)/, '');

function trimPath(path: string, version: string | undefined): string {
	let trimmed = path.replace(/\/+$/, '');
	while (version && trimmed.endsWith(`/${version}`))
		trimmed = trimmed.slice(0, -version.length - 1).replace(/\/+$/, '');
	return trimmed;
}

/**
 * Checks an API key and removes white space around it, which copying may add.
 *
 * @param name The field, for the message.
 * @throws ServiceError `invalid`. The key is not in the message.
 */
export function normalizeApiKey(input: unknown, name = 'API key'): string {
	if (isPresent(input) && typeof input !== 'string')
		throw invalidInputError(
			`The ${name} is not a text`,
			'An expression in the credential has to give a text, such as {{ String($json.key) }}.',
		);
	const key = trimWhitespace(typeof input === 'string' ? input : '');
	if (!key) throw invalidInputError(`The ${name} is empty`, 'Enter it in the credential.');
	if (key.length > MAX_KEY_LENGTH)
		throw invalidInputError(
			`The ${name} is longer than ${MAX_KEY_LENGTH} characters`,
			'Copy only the key into the credential.',
		);
	if (!/^[\x21-\x7e]+$/.test(key))
		throw invalidInputError(
			`The ${name} contains a space or another character that is not allowed in a key`,
			'Copy it again into the credential.',
		);
	return key;
}

/** Characters. Longer than any key. */
export const MAX_KEY_LENGTH = 4096;

/** The only part of n8n's public API that is used, below the n8n URL. Its key is sent nowhere else, whatever else it permits. */
export const TABLES_PATH = '/api/v1/data-tables';

/**
 * The target of a redirect, if it is safe to follow: https, or plain http from this machine to itself.
 *
 * @param from The URL that was requested.
 * @param location The `Location` header of the response.
 * @returns undefined if it must not be followed.
 */
export function resolveRedirect(from: string, location: string) {
	if (!URL.canParse(location, from)) return undefined;
	const source = new URL(from);
	const target = new URL(location, from);
	// a service on this machine may keep its files on another port; n8n's own protection against such requests applies
	const isOnThisMachine =
		source.protocol === 'http:' && target.protocol === 'http:' && isLoopback(target.hostname);
	if (target.protocol !== 'https:' && !isOnThisMachine) return undefined;
	if (target.username || target.password) return undefined;
	target.hash = '';
	return { url: target.href, sameOrigin: target.origin === source.origin };
}

export const unsafeRedirectError = () =>
	new ServiceError('refused', 'The service sent a redirect to an address that is not safe', {
		reason: 'It has to begin with https://.',
	});

/**
 * Whether an address is that of a folder or below it, whatever decodes it on its way: an encoded slash, or a name of dots, may lead out of
 * the folder at a proxy.
 *
 * @param folder Without a slash at the end.
 */
export function isBelow(url: string, folder: string): boolean {
	const { origin, pathname } = new URL(url);
	const { href } = new URL(folder);
	const address = origin + pathname;
	return address.startsWith(href) && /^(\/[\w-]+(\.[\w-]+)*)*\/?$/.test(address.slice(href.length));
}

/** Removes white space at both ends, zero-width characters included. */
export function trimWhitespace(text: string): string {
	return text.replace(/^[\s\u200b-\u200d\u2060\ufeff]+|[\s\u200b-\u200d\u2060\ufeff]+$/g, '');
}

function isLoopback(hostname: string): boolean {
	return hostname === 'localhost' || hostname === '[::1]' || /^127(\.\d{1,3}){3}$/.test(hostname);
}

/**
 * Whether a host is in the own network, by its text alone: a name of one label, as of a container; a name that is never found outside; an
 * address that is never routed there (RFC 1918, fc00::/7). Addresses of the link, of metadata services and of groups are not.
 *
 * @param hostname As `URL` writes it: addresses in their shortest form.
 */
function isInOwnNetwork(hostname: string): boolean {
	const mapped = /^\[::ffff:([\da-f]{1,4}):([\da-f]{1,4})\]$/.exec(hostname);
	const address = mapped ? toDotted(mapped.slice(1)) : hostname;
	return OWN_NETWORK.some((form) => form.test(address)) && !METADATA.has(address);
}

const OWN_NETWORK = [
	/^[^.:[\]]+$/,
	/\.(internal|local|lan|home\.arpa)$/,
	/^10(\.\d{1,3}){3}$/,
	/^192\.168(\.\d{1,3}){2}$/,
	/^172\.(1[6-9]|2\d|3[01])(\.\d{1,3}){2}$/,
	/^\[f[cd][\da-f]{2}:/,
];

/** Metadata services of clouds with such names and addresses: they give keys to every program inside. */
const METADATA = new Set([
	// https://cloud.google.com/compute/docs/metadata/querying-metadata
	'metadata',
	'metadata.google.internal',
	'[fd20:ce::254]',
	// https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/instancedata-data-retrieval.html, and EKS Pod Identity
	'instance-data',
	'instance-data.ec2.internal',
	'[fd00:ec2::254]',
	'[fd00:ec2::23]',
	// Oracle, Scaleway, Linode and Alibaba Cloud
	'[fd00:c1::a9fe:a9fe]',
	'[fd00:42::42]',
	'[fd00:a9fe:a9fe::1]',
	'[fd00:100::100:200]',
]);

/** The IPv4 address in the last two groups of an IPv6 address. */
const toDotted = (groups: readonly string[]) =>
	groups
		.map((group) => parseInt(group, 16))
		.flatMap((group) => [group >> 8, group & 255])
		.join('.');

/** The ID of a job may be a signed token. */
export const MAX_SEGMENT_LENGTH = 2000;

/**
 * Encodes an id from outside as one segment of a path.
 *
 * `encodeURIComponent` alone keeps `.` and `..`, with which a job id could reach another path.
 *
 * @param name The label of the field where the user typed it, e.g. `Job ID`.
 * @throws ServiceError `invalid`.
 */
export function encodePathSegment(value: string, name: string): string {
	if (!value.trim()) throw invalidInputError(`${name} is empty`);
	if (value.length > MAX_SEGMENT_LENGTH)
		throw invalidInputError(`${name} is longer than ${MAX_SEGMENT_LENGTH} characters`);
	if (/^\.{1,2}$/.test(value) || /%2e/i.test(value) || /(^|[/\\])\.\.([/\\]|$)/.test(value))
		throw invalidInputError(`${name} must not point to another address`, `It reads "${value}".`);
	if (/\p{Cc}/u.test(value)) throw invalidInputError(`${name} contains a control character`);
	if (!value.isWellFormed())
		throw invalidInputError(`${name} contains an incomplete character, such as half of an emoji`);
	return encodeURIComponent(value);
}

/**
 * Encodes a text for the query of n8n's API, which refuses an address that has one of these as it is.
 *
 * @see express-openapi-validator 5.5.3, RESERVED_CHARS
 */
export const encodeQueryValue = (value: string): string =>
	encodeURIComponent(value).replace(/[!'()*]/g, (sign) => `%${sign.charCodeAt(0).toString(16)}`);
