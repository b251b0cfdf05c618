import { v5, validate, version } from 'uuid';

import { invalidInputError, shortenText } from '../core/errors';

/** The namespace of URLs. @see https://www.rfc-editor.org/rfc/rfc9562#section-6.6 */
export const NAMESPACE_URL: string = v5.URL;

/**
 * The version 5 UUID of a name: always the same for the same name.
 *
 * @param namespace A UUID. The same name has different UUIDs in different namespaces.
 * @see https://www.rfc-editor.org/rfc/rfc9562#section-5.5
 */
export const uuidV5 = (namespace: string, name: string): string =>
	// as bytes: the library throws on a string with a lone surrogate
	v5(new TextEncoder().encode(name), namespace);

/** Whether `uuidV5` can have made this. Those of xAI look like UUIDs of any version, and most of none. */
export const isUuidV5 = (text: string): boolean => validate(text) && version(text) === 5;

/**
 * Reads a UUID with or without dashes, and returns it with dashes; undefined for any other text.
 *
 * The library's `validate` rejects versions and variants that the RFC does not define, and the service may use them.
 */
export function parseUuid(text: string): string | undefined {
	const pattern = /^([0-9a-f]{8})(-?)([0-9a-f]{4})\2([0-9a-f]{4})\2([0-9a-f]{4})\2([0-9a-f]{12})$/i;
	return pattern.test(text) ? text.replace(pattern, '$1-$3-$4-$5-$6') : undefined;
}

/**
 * Reads the ID of a session or conversation.
 *
 * @param label The field's name in the editor.
 * @throws ServiceError `invalid`.
 */
export function readUuid(label: string, input: string): string {
	const uuid = parseUuid(input.trim());
	if (uuid) return uuid;
	throw invalidInputError(
		`${label} must be a UUID`,
		`It is "${shortenText(input.trim(), 100)}". A UUID looks like 6f1c2b1e-8d3a-4c0e-9a55-0d2f6b7c8e90. For any other text, choose Session: From Key.`,
	);
}
