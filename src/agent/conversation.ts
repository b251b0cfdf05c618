import type { Http } from '../core/http';
import { askBefore, readList, toRequest } from './asking';
import type { AgentServer } from './server';
import { idAt } from './serverIds';

/** Finds the server's own ID of a conversation again. @returns undefined for a new one. @throws ServiceError; no message was sent. */
export async function findConversation(
	http: Http,
	server: AgentServer,
	session: string,
): Promise<string | undefined> {
	if (!server.finds) return undefined;
	const { list, id, ...form } = server.finds;
	const request = toRequest(form, { session }, () => '');
	return await askBefore(http, server, request, (answer) => {
		const [latest] = readList(answer, list, 'the conversations of this session');
		return idAt(latest, id) || undefined;
	});
}
