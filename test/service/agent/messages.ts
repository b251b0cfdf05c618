import { json, type Answer, data, event, stream } from '../answer.ts';
import { isFields, partsOf, UUID, type Call } from '../call.ts';
import { wordsOf, answerText } from '../directives.ts';
import { AGENT_KEYS } from '../keys.ts';
import { paced } from '../pace.ts';
import { factsOf, scriptedAnswer } from '../../../demo/personas/agent.ts';
import type { World } from '../world.ts';

/** An error of A; its shape is not specified (section 7A). */
const agentError = (status: number, code: string, message: string) =>
	json({ error: { code, message } }, status);

/** Section 4A: `{agent_base_url}/session/{session_id}/messages`; undefined when the path is none of A. */
export function agentEndpoint(world: World, call: Call): Answer | undefined {
	const [api, v1, workspaces, workspace = '', session, id = '', messages, more] =
		partsOf(call.path) ?? [];
	if (api !== 'api' || v1 !== 'v1' || workspaces !== 'workspaces') return undefined;
	if (session !== 'session' || messages !== 'messages' || more !== undefined) {
		return agentError(404, 'not_found', `no such path: ${call.path}`);
	}
	// section 5: key and base address are tied to one workspace
	const bearer = /^Bearer (.+)$/.exec(call.headers.authorization ?? '')?.[1];
	const key = Object.hasOwn(AGENT_KEYS, workspace) ? AGENT_KEYS[workspace] : undefined;
	if (bearer === undefined || bearer !== key) {
		return agentError(401, 'unauthorized', 'missing or invalid API key');
	}
	if (call.method !== 'POST') {
		return agentError(405, 'method_not_allowed', `use POST, not ${call.method}`);
	}
	if (!UUID.test(id)) return agentError(400, 'bad_session', 'session id is no UUID');
	if (!isFields(call.body)) return agentError(400, 'bad_request', 'the body is no object');
	const { content } = call.body;
	if (typeof content !== 'string' || content === '') {
		return agentError(400, 'bad_request', 'content is required, a string');
	}
	return answerMessage(world, call, workspace, id, content);
}

/** An unused UUID starts a session, a used one continues it (section 2A). */
function answerMessage(world: World, call: Call, workspace: string, id: string, content: string) {
	const session = `${workspace}/${id.toLowerCase()}`;
	const said = world.sessions.get(session) ?? [];
	said.push(content);
	world.sessions.set(session, said);
	const scripted = world.personas ? scriptedAnswer(factsOf('agent', said, workspace)) : undefined;
	return inForm(world, call, wordsOf(scripted ?? answerText(said, 'session')));
}

/** A's answer in one of the forms a stream may have: "its wire format is not shown" (section 4A). */
export function inForm(world: World, call: Call, words: string[]): Answer {
	const live = (pieces: string[], type: string) => stream(paced(world, call, pieces), type);
	switch (world.forms.agent) {
		case 'text':
			return live(words, 'text/plain; charset=utf-8');
		case 'ag-ui':
			return live(agUiEvents(words), 'text/event-stream');
		default:
			return live(
				[
					...words.map((word) => event('message', { type: 'delta', content: word })),
					event('message', { type: 'end' }),
					data('[DONE]'),
				],
				'text/event-stream',
			);
	}
}

/** The events of the AG-UI protocol: https://docs.ag-ui.com/concepts/events. */
const agUiEvents = (words: string[]) => {
	const run = { threadId: 't', runId: 'r' };
	const message = { messageId: 'm' };
	return [
		{ type: 'RUN_STARTED', ...run },
		{ type: 'TEXT_MESSAGE_START', ...message, role: 'assistant' },
		...words.map((delta) => ({ type: 'TEXT_MESSAGE_CONTENT', ...message, delta })),
		{ type: 'TEXT_MESSAGE_END', ...message },
		{ type: 'RUN_FINISHED', ...run },
	].map((one) => data(JSON.stringify(one)));
};
