import type { ICredentialDataDecryptedObject } from 'n8n-workflow';

import { BEARER, type KeyPlace, keyPlaceIn, keyPlaces } from '../core/keyPlace';
import { MAX_KEY_LENGTH, normalizeApiKey } from '../core/urls';

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
 * Reads the key of a service.
 *
 * @returns `apiKey` empty and no header where the service takes none: a key in the field is then not sent.
 * @throws ServiceError `invalid`. The key is not in the message.
 */
export function readKey(
	data: ICredentialDataDecryptedObject,
	keyPlace: KeyPlaceOf,
	path?: string,
): { apiKey: string; headers: Record<string, string> } {
	const place = keyPlace(data, path);
	if (!place) return { apiKey: '', headers: {} };
	const apiKey = normalizeApiKey(data['apiKey']);
	const { header, prefix = '', headers } = place;
	return { apiKey, headers: { ...headers, [header]: prefix + apiKey } };
}

/** The key as it is stored, for redaction: also where it is not sent. */
export const findStoredKey = ({ apiKey }: ICredentialDataDecryptedObject): string =>
	typeof apiKey === 'string' ? apiKey.trim().slice(0, MAX_KEY_LENGTH) : '';
