import { createHash } from 'crypto';

/** The namespace of addresses. @see https://www.rfc-editor.org/rfc/rfc9562#section-6.6 */
export const NAMESPACE_URL = '6ba7b811-9dad-11d1-80b4-00c04fd430c8';

/**
 * The UUID of a name, version 5: the same for the same name, wherever it is worked out.
 *
 * @param namespace A UUID; names of different namespaces get different UUIDs.
 * @see https://www.rfc-editor.org/rfc/rfc9562#section-5.5
 */
export function nameUuid(namespace: string, name: string): string {
	const space = Buffer.from(namespace.replaceAll('-', ''), 'hex');
	const hash = createHash('sha1').update(space).update(name, 'utf8').digest();
	hash.writeUInt8((hash.readUInt8(6) & 0x0f) | 0x50, 6);
	hash.writeUInt8((hash.readUInt8(8) & 0x3f) | 0x80, 8);
	return dashed(hash.toString('hex'));
}

/** The UUID that a text is, with or without its dashes; undefined for any other text. */
export function uuidIn(text: string): string | undefined {
	if (UUID.test(text)) return text;
	return /^[0-9a-f]{32}$/i.test(text) ? dashed(text) : undefined;
}

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

function dashed(hex: string): string {
	const ends = [0, 8, 12, 16, 20, 32];
	return ends
		.slice(1)
		.map((end, index) => hex.slice(ends[index], end))
		.join('-');
}
