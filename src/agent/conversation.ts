import { readJson } from '../core/body';
import { mapServiceError, withDetails } from '../core/errors';
import type { Http } from '../core/http';
import { explain, MAX_BYTES, toRequest } from './asking';
import type { AgentServer } from './server';
import { idAt } from './serverIds';

/** Finds the server's own ID of a conversation again. @returns undefined for a new one. @throws ServiceError; no message was sent. */
export async function findConversation(
	http: Http,
	{ name, value, finds }: AgentServer,
	session: string,
): Promise<string | undefined> {
	if (!finds) return undefined;
	const { at, ...form } = finds;
	try {
		const response = await http.send(toRequest(form, { session }, () => ''));
		return idAt(await readJson(response, MAX_BYTES), at) || undefined;
	} catch (cause) {
		throw mapServiceError(cause, (error) =>
			withDetails(explain(error, { name, value }), { outcome: 'not_started' }),
		);
	}
}
