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

it('a decision goes into no new conversation', async () => {
	const failure = await failing(400, { decisions: [{ approve: true }], task: 't1' });
	expect(failure).toMatchObject({
		message: 'What waited for an answer is gone at the OpenAI Responses server',
		details: { outcome: 'not_started', computed: { isGone: true } },
		sent: 1,
	});
});
