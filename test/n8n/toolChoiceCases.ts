import { uuidV5, NAMESPACE_URL } from '../../src/n8n/uuid.ts';
import { askAgent, type AgentVersion } from './aiAgent.ts';
import { model, nodesFor, openBridge, type Bridge } from './bridge.ts';
import { callWith } from './chatModel.ts';
import { start } from './workflow.ts';

const asked = "={{ $fromAI('question', 'What to ask', 'string') }}";

/** The session and the chat of somebody else. */
const OTHER = '6f1c2b1e-8d3a-4c0e-9a55-0d2f6b7c8e90';

/** What the model of n8n's own AI Agent gives beside what its tool asks for. */
export function toolChoiceCases(version: AgentVersion): void {
	let bridge: Bridge;
	beforeAll(async () => {
		bridge = await openBridge();
	});
	beforeEach(() => bridge.service.reset());
	afterAll(async () => await bridge.service.stop());

	describe(`an AI Agent of version ${version}`, () => {
		const talk = async (parameters: Record<string, unknown>) => {
			const given = { question: 'hello', sessionId: 'of-another', body: { q: 'of-another' } };
			callWith(bridge, 'Colleague', given);
			const tool = nodesFor(bridge.accounts).agent('Colleague', ['message', 'send'], {
				message: asked,
				...parameters,
			});
			const { output } = await askAgent(bridge, 'who am I', [tool], version);
			const sent = bridge.service.requests.filter(({ path }) => path.includes('/session/'));
			return { output, sessions: sent.map(({ path }) => /session\/([^/]+)/.exec(path)?.[1]) };
		};
		const sessionOf = (name: string) =>
			uuidV5(uuidV5(NAMESPACE_URL, bridge.service.agent.baseUrl('ws-1')), name);

		it.each<[string, Record<string, unknown>, RegExp]>([
			[
				'a key of the item',
				{ sessionMode: 'key', sessionKey: '={{ $json.sessionId }}' },
				/Session Key has an expression that the model/,
			],
			[
				'what it was not asked for',
				{
					sessionMode: 'key',
					sessionKey: 'a',
					message: "={{ $fromAI('text', '', 'string', '') }}",
				},
				/Message is empty: nothing was given for|did not match/,
			],
		])('does not choose %s', async (_what, parameters, told) => {
			const { output, sessions } = await talk(parameters);
			expect(sessions).toEqual([]);
			expect(output).toMatch(told);
		});

		it('does not choose the session of another chat: without one of its own, a new one begins', async () => {
			const { output, sessions } = await talk({});
			expect(sessions).toHaveLength(1);
			for (const namespace of ['key', 'chat', 'input'])
				expect(sessions).not.toContain(sessionOf(`${namespace} of-another`));
			expect(output).toContain('"sessionSource":"new"');
		});

		it('does not speak as a conversation does, with a session, a chat, a history and live output', async () => {
			const { agent, assistant, router } = nodesFor(bridge.accounts);
			const colleagues = [
				agent('Colleague', ['message', 'send']),
				assistant('Colleague', ['question', 'askStreaming']),
				router('Colleague', ['text', 'message'], {
					model: model('northwind/quill-2.5'),
					options: { protocol: 'responses' },
				}),
			];
			for (const colleague of colleagues) {
				callWith(bridge, 'Colleague', {
					...{ Message: 'hello', Question: 'hello', Prompt: 'hello', message: 'hello' },
					...{ conversationId: 'c', turn: 1, sessionId: OTHER, chatId: OTHER, showLive: true },
					history: [{ role: 'user', content: OTHER }],
				});
				const { output, chunks } = await askAgent(bridge, 'who am I', [colleague], version);
				expect(output).toMatch(/^The tool said: .*hello/);
				expect(output).not.toMatch(/"sessionSource":"(conversation|item)"|shownLive/);
				const speakers = new Set(chunks.flatMap(({ metadata }) => metadata?.nodeName ?? []));
				expect(speakers).toEqual(new Set(['Agent']));
			}
			const sent = bridge.service.requests
				.filter(({ method, path }) => method === 'POST' && !path.includes('chat/completions'))
				.map(({ path, body }) => `${path} ${JSON.stringify(body)}`);
			expect(sent).toHaveLength(3);
			expect(sent).toEqual(sent.map(() => expect.not.stringContaining(OTHER)));
		});

		it('talks in the session that the workflow chooses before it', async () => {
			const sessionKey = `={{ $('${start}').item.json.body.q }}`;
			const { output, sessions } = await talk({ sessionMode: 'key', sessionKey });
			expect(sessions).toEqual([sessionOf('key who am I')]);
			expect(output).toMatch(/^The tool said: .*hello/);
		});
	});
}
