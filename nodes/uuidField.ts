import { shortenText, invalidInputError } from '../src/core/errors';
import { parseUuid } from '../src/n8n/uuid';

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
