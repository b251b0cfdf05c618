import type { Surroundings } from '../../../src/n8n/operation';
import type { ParamValues } from '../../../src/n8n/params';
import { NAMESPACE_URL, nameUuid, uuidIn } from '../../../src/n8n/nameUuid';
import { invalid } from '../../../src/service/errors';
import type { sessionParams } from './session.params';

/** The session of one item, and where its id comes from. */
export interface Session {
	/** Absent for a new session, which gets its id when it is begun. */
	id?: string;
	/** As the choice is stored in workflows. */
	source: 'new' | 'existing' | 'chatTrigger' | 'key';
	/** The text that the id was made from. */
	key?: string;
}

/** @throws ServiceError `invalid` where there is no id, no key, or no chat. */
export function chosenSession(
	{ session: source, sessionId, sessionKey }: ParamValues<typeof sessionParams>,
	{ baseUrl, chatSession }: Surroundings,
): Session {
	if (source === 'new') return { source };
	if (source === 'existing') return { source, id: existing(sessionId) };
	const text = source === 'key' ? sessionKey.trim() : chatSession();
	if (!text) throw source === 'key' ? noKey() : noChat();
	const uuid = uuidIn(text);
	return uuid ? { source, id: uuid } : { source, id: sessionOfKey(baseUrl, text), key: text };
}

/**
 * The session id of a key: a UUID of version 5 over the key, in the namespace that is the UUID of the workspace's address.
 *
 * In Python: `uuid5(uuid5(NAMESPACE_URL, base_url), key)`.
 */
export function sessionOfKey(baseUrl: string, key: string): string {
	return nameUuid(nameUuid(NAMESPACE_URL, baseUrl), key);
}

function existing(typed: string): string {
	const uuid = uuidIn(typed.trim());
	if (uuid) return uuid;
	throw invalid(
		'Session ID must be a UUID',
		`It reads "${typed.trim().slice(0, 100)}". A UUID looks like 6f1c2b1e-8d3a-4c0e-9a55-0d2f6b7c8e90. For any other text choose Session: From Key.`,
	);
}

const noKey = () =>
	invalid('Session Key is empty', 'If it is an expression, it found nothing for this item.');

const noChat = () =>
	invalid(
		'There is no chat that the session could be taken from',
		'The item has no "sessionId", and no Chat Trigger has run in this workflow. Choose Session: From Key for a key of your own.',
	);
