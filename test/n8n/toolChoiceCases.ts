import { uuidV5, NAMESPACE_URL } from '../../src/n8n/uuid.ts';
import { askAgent, type AgentVersion } from './aiAgent.ts';
import { nodesFor, openBridge, type Bridge } from './bridge.ts';
import { start } from './workflow.ts';

const asked = "={{ $fromAI('question', 'What to ask', 'string') }}";

/** The chat model calls the tool with these arguments, whatever its schema says. */
function callWith(bridge: Bridge, given: Record<string, unknown>): void {
	const chunk = (delta: object, finish: string | null) =>
		`data: ${JSON.stringify({
			...{ id: 'c', object: 'chat.completion.chunk', created: 1, model: 'northwind/quill-2.5' },
			choices: [{ index: 0, delta, finish_reason: finish }],
		})}\n\n`;
	const call = { name: 'Colleague', arguments: JSON.stringify(given) };
	const calls = [{ index: 0, id: 'call_1', type: 'function', function: call }];
	bridge.service.fault({
		match: { method: 'POST', path: 'chat/completions' },
		times: 1,
		do: {
			type: 'body',
			contentType: 'text/event-stream',
			body: `${chunk({ role: 'assistant', content: null, tool_calls: calls }, null)}${chunk({}, 'tool_calls')}data: [DONE]\n\n`,
		},
	});
}

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
			callWith(bridge, { question: 'hello', sessionId: 'of-another', body: { q: 'of-another' } });
			const tool = nodesFor(bridge.accounts).agent('Colleague', ['message', 'send'], {
				message: asked,
				...parameters,
			});
			const { output } = await askAgent(bridge, 'who am I', [tool], version);
			const sent = bridge.service.requests.filter(({ path }) => path.includes('/session/'));
			return { output, sessions: sent.map(({ path }) => /session\/([^/]+)/.exec(path)?.[1]) };
		};
		const sessionOf = (key: string) =>
			uuidV5(uuidV5(NAMESPACE_URL, bridge.service.agent.baseUrl('ws-1')), key);

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
			expect(sessions).not.toContain(sessionOf('of-another'));
			expect(output).toContain('"sessionSource":"new"');
		});

		it('talks in the session that the workflow chooses before it', async () => {
			const sessionKey = `={{ $('${start}').item.json.body.q }}`;
			const { output, sessions } = await talk({ sessionMode: 'key', sessionKey });
			expect(sessions).toEqual([sessionOf('who am I')]);
			expect(output).toMatch(/^The tool said: .*hello/);
		});
	});
}
