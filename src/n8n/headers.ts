import type {
	ICredentialDataDecryptedObject,
	INodeProperties,
	INodePropertyTypeOptions,
} from 'n8n-workflow';

import { invalidInputError } from '../core/errors';
import { BEARER, type KeyPlace, keyPlaceIn, keyPlaces } from '../core/keyPlace';
import { MAX_KEY_LENGTH, trimWhitespace, normalizeApiKey } from '../core/urls';

const NUMBERS = [1, 2, 3];

/**
 * For a field of a credential that may have an expression for each item. Where there is no item, n8n leaves it out, and we say what is
 * missing, in place of n8n's "Node '' hasn't been executed" (n8n 2.41.1, credentials-helper.js, resolveCredentialExpressionsByProperty).
 */
export const mayNeedItem = {
	ignoreCredentialExpressionResolveError: true,
} as const satisfies INodePropertyTypeOptions;

/** The address of the service. */
export const baseUrlField = {
	displayName: 'Base URL',
	name: 'baseUrl',
	type: 'string',
	typeOptions: mayNeedItem,
	default: '',
	required: true,
} as const satisfies INodeProperties;

export const apiKeyField = {
	displayName: 'API Key',
	name: 'apiKey',
	type: 'string',
	typeOptions: { password: true, ...mayNeedItem },
	default: '',
	required: true,
} as const satisfies INodeProperties;

/**
 * Headers that a gateway or proxy in front of the service asks for. These are flat fields: n8n restores the hidden values of a collection
 * by position, so after one is deleted, the next name would get its secret (n8n 2.41.1, credentials.service.js).
 */
export const additionalHeaderProperties: INodeProperties[] = [
	{
		displayName:
			'Additional headers are for a gateway or a proxy in front of the service that asks for headers of its own. They are only sent to the server of the base URL. Otherwise, leave them empty.',
		name: 'additionalHeadersNotice',
		type: 'notice',
		default: '',
	},
	...NUMBERS.flatMap((number): INodeProperties[] => [
		{
			displayName: `Additional Header ${number} Name`,
			name: `additionalHeader${number}Name`,
			type: 'string',
			typeOptions: mayNeedItem,
			default: '',
			placeholder: 'e.g. CF-Access-Client-Secret',
		},
		{
			displayName: `Additional Header ${number} Value`,
			name: `additionalHeader${number}Value`,
			type: 'string',
			typeOptions: { password: true, ...mayNeedItem },
			default: '',
			...(number === 1 && {
				description:
					'Kept out of outputs like a key, from 16 characters. A shorter one of at least 8 is, too, unless it consists of words or numbers.',
			}),
		},
	]),
];

/** The characters of a name in HTTP (RFC 9110, 5.6.2). */
const TOKEN = /^[\w!#$%&'*+.^`|~-]+$/;
/**
 * What the request, the connection or the ledger sets by itself. The last row has names that n8n's HTTP client does not send, because it
 * keeps its own defaults under them (axios 1.20.0, lib/core/Axios.js).
 */
const RESERVED = new RegExp(
	`^(${[
		'accept|accept-encoding|content-.*|cookie|x-n8n-api-key',
		'connection|host|keep-alive|proxy-.*|te|trailer|transfer-encoding|upgrade',
		'__proto__|common|constructor|delete|get|head|patch|post|put|query',
	].join('|')})$`,
	'i',
);
/** Latin-1 without control characters; a tab is allowed. */
const LATIN_1 = /^[\t\x20-\x7e\xa0-\xff]*$/;

/**
 * Reads the additional headers of a credential.
 *
 * @param keyHeaders The header of the service's key, if it has one.
 * @returns their values by name.
 * @throws ServiceError `invalid`. No value is in the message, nor a name that may be a value in the wrong field.
 */
function readAdditionalHeaders(
	data: ICredentialDataDecryptedObject,
	keyHeaders: readonly string[],
) {
	const headers: Record<string, string> = {};
	const taken = new Set<string>();
	const ofKey = keyHeaders.map((header) => header.toLowerCase());
	for (const { number, name, value } of fieldsOf(data)) {
		if (!name && !value) continue;
		if (!name || !value)
			throw invalidInputError(
				`Additional Header ${number} needs both a name and a value`,
				'Enter both in the credential, or leave both empty.',
			);
		if (!TOKEN.test(name))
			throw invalidInputError(
				`The name of Additional Header ${number} contains a character that is not allowed`,
				'Enter the name alone in the credential, without a space or a colon.',
			);
		const key = name.toLowerCase();
		if (ofKey.includes(key) || RESERVED.test(name))
			throw invalidInputError(
				`Additional Header ${number} must not be "${name}"`,
				'n8n sets this header itself, or has its own use for the name.',
			);
		if (taken.has(key))
			throw invalidInputError(
				`Additional Header ${number} has the same name as another one`,
				'Give each header another name in the credential.',
			);
		if (value.length > MAX_KEY_LENGTH || !LATIN_1.test(value))
			throw invalidInputError(
				`The value of Additional Header ${number} is too long, or contains a character that is not allowed`,
				'Copy only the value into the credential: one line, in Latin-1.',
			);
		taken.add(key);
		headers[name] = value;
	}
	return headers;
}

/** What has to be redacted, also while the fields are unusable: the values, and their parts, such as the token after `Bearer`. */
export const findHeaderSecrets = (data: ICredentialDataDecryptedObject): string[] =>
	fieldsOf(data)
		.map(({ value }) => value.slice(0, MAX_KEY_LENGTH))
		.flatMap((value) => [value, ...findParts(value), ...findBasic(value)])
		.filter(isSecret);

/** The parts of `Bearer x==`, `a=1&b=2`, `id:secret` and JSON, with what may end them and without. */
const findParts = (value: string): string[] =>
	value.split(/[\s,;"]+/).flatMap((part) => [part, ...part.split(/[:=&'{}()[\]<>]+/)]);

/** The user and the password in a value of HTTP Basic (RFC 7617), and the parts of the password. */
function findBasic(value: string): string[] {
	const [, encoded = ''] = /^Basic\s+(\S+)/i.exec(value) ?? [];
	const [user = '', ...password] = Buffer.from(encoded, 'base64').toString().split(':');
	return [user, password.join(':'), ...password];
}

/** What is short, or consists of words, may be a part of any answer: `true`, `anthropic`, `2023-06-01`. */
const isSecret = (text: string) => text.length >= 16 || (text.length >= 8 && !WORDS.test(text));
const WORDS = /^((^|[-_.\s])([A-Z]?[a-z]+|[A-Z]+|\d+))+$/;

/** Most are empty. */
const fieldsOf = (data: ICredentialDataDecryptedObject) =>
	NUMBERS.flatMap((number) => {
		const name = data[`additionalHeader${number}Name`] ?? '';
		const value = data[`additionalHeader${number}Value`] ?? '';
		return name === '' && value === ''
			? []
			: [{ number, name: toText(name), value: toText(value) }];
	});

/** An expression may give a number, or an object, which is written as JSON. */
function toText(text: unknown): string {
	return trimWhitespace(typeof text === 'string' ? text : JSON.stringify(text));
}

/**
 * @param path Of the request, if some take it elsewhere.
 * @returns undefined for a service that takes no key.
 */
export type KeyPlaceOf = (
	data: ICredentialDataDecryptedObject,
	path?: string,
) => KeyPlace | undefined;

/** The places that Key In offers. */
export const keyPlaceOptions = Object.entries(keyPlaces).map(([value, { name }]) => ({
	name,
	value,
}));

/** The place that was chosen in Key In. */
export const chosenKeyPlace: KeyPlaceOf = ({ keyIn }) => keyPlaceIn(keyIn, BEARER);

/**
 * Reads the headers of a credential: of its key, and those that a gateway asks for.
 *
 * @param path Of the request, if some take the key elsewhere.
 * @returns `apiKey` empty and no header of it where the service takes none: a key in the field is then not sent.
 * @throws ServiceError `invalid`. Neither the key nor another value is in the message.
 */
export function readHeaders(
	data: ICredentialDataDecryptedObject,
	keyPlace: KeyPlaceOf,
	path?: string,
) {
	const place = keyPlace(data, path);
	const apiKey = place ? normalizeApiKey(data['apiKey']) : '';
	const { header, prefix = '', headers } = place ?? {};
	const ofKey: Record<string, string> = {
		...headers,
		...(header && { [header]: prefix + apiKey }),
	};
	return { apiKey, ofKey, additional: readAdditionalHeaders(data, Object.keys(ofKey)) };
}

/** A key as it is stored, for redaction: also where it is not sent, and while the job ledger is not used. */
export const trimKey = (key: unknown): string =>
	// a longer text is refused as a key where it is used
	typeof key === 'string' ? key.trim().slice(0, MAX_KEY_LENGTH) : '';
