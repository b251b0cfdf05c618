import { type AskedServer, sendMessage } from '../../../src/agent/client';
import { serverOf } from '../../../src/agent/servers';
import { failureOf, inMemory, json } from '../inMemoryHttp';

// what a server no longer has, and when a message may then be sent again

const responses = serverOf('responses')!;
const MESSAGE = { sessionId: '6f1c2b1e-8d3a-4c0e-9a55-0d2f6b7c8e90', content: 'on Monday' };
const OTHER = {
	server: responses,
	way: { ask: responses.asks[0]! },
	newId: () => 'm1',
	chat: 'c1',
};

/** LiteLLM wraps an ID twice: with the deployment, and encrypted with the user, the team and the key (responses_id_security.py). */
const RESPONSE = {
	id: `resp_${'a'.repeat(720)}`,
	object: 'response',
	status: 'completed',
	output: [{ type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'ok' }] }],
};

/** @returns how the message failed, and how often it was sent. */
async function failing(status: number, more: Partial<AskedServer> = {}) {
	const error = { message: 'not found', code: 'previous_response_not_found' };
	const http = inMemory(json({ error }, { status }));
	const { message, details } = await failureOf(
		sendMessage(http, MESSAGE, {}, { ...OTHER, ...more }),
	);
	return { message, details, sent: http.requests.length };
}

it.each([
	[400, 2, 'not_started'],
	[500, 1, 'unknown'],
	[502, 1, 'unknown'],
])('a conversation that is gone, with %i: sent %i times', async (status, sent, outcome) => {
	expect(await failing(status)).toMatchObject({ sent, details: { outcome } });
});

it.each([
	['vLLM', { type: 'invalid_request_error', param: 'response_id', code: 404 }],
	['LiteLLM', { type: null, param: null, code: '404' }],
])('%s: a conversation that is gone begins anew', async (_service, more) => {
	const error = { message: "Response with id 'resp_1' not found.", ...more };
	const http = inMemory(json({ error }, { status: 404 }), json(RESPONSE));
	expect(await sendMessage(http, MESSAGE, {}, OTHER)).toMatchObject({
		text: 'ok',
		chat: RESPONSE.id,
		notice: expect.stringMatching(/no longer has this conversation/),
	});
	expect(http.requests).toMatchObject([{ body: { previous_response_id: 'c1' } }, { body: {} }]);
	expect(http.requests[1]?.body).not.toHaveProperty('previous_response_id');
});

it('a decision goes into no new conversation', async () => {
	const failure = await failing(400, { decisions: [{ approve: true }], task: 't1' });
	expect(failure).toMatchObject({
		message: 'What waited for an answer is gone at the OpenAI Responses server',
		details: { outcome: 'not_started', computed: { isGone: true } },
		sent: 1,
	});
});
