import { ServiceError } from '../core/errors';
import { factsOf } from './asking';
import type { AgentServer, Values } from './server';
import type { ServerIds } from './serverIds';

type Sent = Pick<Values, 'chat' | 'task'>;

/** What a server says that it no longer has, of what was handed to it. It has then started nothing. */
export function findGone(
	{ gone = {} }: AgentServer,
	{ chat, task }: Sent,
	{ details: { code = '', reason = '' } }: ServiceError,
): keyof Sent | undefined {
	const says = (words: Readonly<Record<string, string>> = {}) =>
		Object.hasOwn(words, code) && reason.includes(words[code] ?? '');
	if (chat && says(gone.chat)) return 'chat';
	return task && says(gone.task) ? 'task' : undefined;
}

/** The same, told about a task. A message was its answer, so it begins nothing by itself. */
export function explainGone(error: ServiceError, server: AgentServer, sent: Sent, had: ServerIds) {
	const hasBegun = had.chat ?? had.task ?? had.running;
	const isGone = hasBegun === undefined && findGone(server, sent, error) === 'task';
	return isGone ? goneError(error, server) : error;
}

export const goneError = ({ details }: ServiceError, { name }: AgentServer) =>
	new ServiceError('refused', `What waited for an answer is gone at the ${name} server`, {
		...details,
		...factsOf(name, { isGone: true }),
		outcome: 'not_started',
		advice:
			'It is forgotten here, too: the next message begins anew in the same session. If an item hands over "taskId", leave it out.',
	});

/** That an agent has forgotten what was said. */
export const forgottenNotice = ({ name }: AgentServer) =>
	`The ${name} server no longer has this conversation, so a new one was begun: the agent knows nothing of what was said before.`;
