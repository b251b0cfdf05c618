import type { IDataObject, INode } from 'n8n-workflow';

import { startService, type Service } from '../service/service';
import { agent, assistant, chat, posts, response, secretsOf } from './rig/calls';
import { runLoop, says, to, type LoopOptions } from './rig/loop';
import { made } from './rig/run';

// the pack's own nodes as speakers, against the reference service
let service: Service;
beforeAll(async () => (service = await startService()));
beforeEach(() => service.reset());
afterAll(() => service.stop());

type Paying = ReturnType<typeof agent>;

const speaker = (
	{ node, parameters, credential }: Paying,
	settings: Partial<INode> = {},
	id: string = credential,
): INode => ({
	...made('Speaker', `n8n-nodes-agent-bridge.${node}`, parameters),
	credentials: { [credential]: { id, name: id } },
	...settings,
});

// what the bridge hands over is what both nodes take by default
const anAgent = agent({ messageSource: 'fromInput' });
const anAssistant = assistant('askStreaming', { questionSource: 'fromInput' });
const aModel = chat('', { inputType: 'json', messagesJson: '={{ $json.messages }}' });
const aResponder = response('', { inputType: 'json', messagesJson: '={{ $json.messages }}' });

const loop = async (options: Partial<LoopOptions> & Pick<LoopOptions, 'first' | 'second'>) =>
	await runLoop({
		bridge: { message: 'Hello', turnLimit: 4 },
		...options,
		secrets: {
			...secretsOf(service),
			otherAgent: { baseUrl: service.agent.baseUrl('ws-2'), apiKey: service.agent.key('ws-2') },
		},
	});

const bodies = () => posts(service).map(({ body }) => body as IDataObject);
const transcriptOf = ({ done }: Awaited<ReturnType<typeof loop>>) =>
	done[0]?.json['transcript'] as Array<Record<string, string>>;

it('two workspace agents of two workspaces: each remembers, each message is sent once', async () => {
	const outcome = await loop({
		first: speaker(anAgent),
		second: speaker(anAgent, {}, 'otherAgent'),
	});
	const transcript = transcriptOf(outcome);
	expect(outcome.hints).toEqual([]);
	expect(posts(service).map(({ path }) => path)).toEqual(
		transcript.map(
			({ side, sessionId }) =>
				`/api/v1/workspaces/${side === 'first' ? 'ws-1' : 'ws-2'}/session/${sessionId}/messages`,
		),
	);
	expect(bodies().map(({ content }) => content)).toEqual([
		'Hello',
		...transcript.slice(0, 3).map(({ text }) => text),
	]);
	expect(transcript[2]?.['text']).toContain('This is message 2 of this session');
	expect(transcript[3]?.['text']).toContain('This is message 2 of this session');
});

it('an assistant: no chat id at first, then that of its own first answer', async () => {
	const outcome = await loop({ first: speaker(anAgent), second: speaker(anAssistant) });
	const [, first, , second] = bodies();
	expect(first).not.toHaveProperty('chat_id');
	const transcript = transcriptOf(outcome);
	expect(second?.['chat_id']).toBe(transcript[1]?.['chatId']);
	expect(second?.['chat_id']).toEqual(expect.any(String));
	expect(transcript[3]?.['text']).toContain('message 2 of this chat');
	expect(transcript[0]).not.toHaveProperty('chatId');
});

it.each([
	['in chats', aModel, 'messages'],
	['in responses', aResponder, 'input'],
])('a model %s: the history as messages', async (_what, model, field) => {
	const outcome = await loop({
		bridge: { message: 'Hello', turnLimit: 4, secondInstruction: 'Be brief.' },
		first: speaker(anAgent),
		second: speaker(model),
	});
	const [a, b, c] = transcriptOf(outcome).map(({ text }) => text);
	const sent = bodies().filter((body) => field in body);
	expect(sent.map((body) => body[field])).toEqual([
		[{ role: 'user', content: `Be brief.\n\n${a}` }],
		[
			{ role: 'user', content: `Be brief.\n\n${a}` },
			{ role: 'assistant', content: b },
			{ role: 'user', content: c },
		],
	]);
});

it.each<[string, object]>([
	['refused', { type: 'status', status: 503 }],
	['cut off', { type: 'limit_data', bytes: 60 }],
])('a speaker that is %s: its error comes back, nothing is sent again', async (_what, fault) => {
	service.fault({ match: { method: 'POST', path: 'ws-2' }, do: fault as never });
	const outcome = await loop({
		first: speaker(anAgent),
		second: speaker(
			anAgent,
			{ onError: 'continueErrorOutput', retryOnFail: true, waitBetweenTries: 1 },
			'otherAgent',
		),
		wiring: { Second: { main: [to('Bridge'), to('Bridge')] } },
	});
	expect(outcome.error).toBeUndefined();
	expect(outcome.done).toMatchObject([
		{
			json: {
				ended: 'error',
				transcript: [{ side: 'first' }],
				failure: { turn: 2, speaker: 'Second Speaker', details: { sessionId: expect.any(String) } },
			},
		},
	]);
	expect(bodies()).toHaveLength(2);
});

it('Retry On Fail of a speaker sends a turn once, in every turn of the loop', async () => {
	const outcome = await loop({
		bridge: { message: 'Hello', turnLimit: 6 },
		first: speaker(anAgent, { retryOnFail: true, waitBetweenTries: 1 }),
		second: (_items, n8n) => says(`turn ${String(n8n.getInputData()[0]?.json['turn'])}`),
	});
	expect(outcome.error).toBeUndefined();
	expect(bodies().map(({ content }) => content)).toEqual(['Hello', 'turn 2', 'turn 4']);
});
