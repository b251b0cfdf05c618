import type { IDataObject, INodeParameters } from 'n8n-workflow';

import { sessionIdOf } from '../../nodes/WorkspaceAgent/message/send.operation';
import { startService, type Service } from '../service/service';
import { callTool, type ToolOptions, type Way } from './rig/agentTool';
import { agent, assistant, job, posts, secretsOf } from './rig/calls';
import { allFields, type Field } from './rig/fields';

// what the model of an AI agent must not choose when it calls a node as its tool: sessions, keys, caps, what allows something
let service: Service;
beforeAll(async () => (service = await startService()));
beforeEach(() => service.reset());
afterAll(() => service.stop());

const ways: Way[] = ['by the engine', 'by itself'];
const MESSAGE = "={{ $fromAI('message', 'What to say', 'string') }}";

const call = async (way: Way, options: Omit<ToolOptions, 'secrets'>) =>
	await callTool(way, { secrets: secretsOf(service), ...options });

describe.each(ways)('the session of a chat, for an agent that calls its tool %s', (way) => {
	const talk = async (parameters: INodeParameters, more: Partial<ToolOptions> = {}) =>
		await call(way, {
			tool: agent({ message: MESSAGE, ...parameters }),
			calls: [{ message: 'hello', sessionId: 'of-another', asked: 'by the model' }],
			...more,
		});
	const sessionOf = (name: string) => sessionIdOf(service.agent.baseUrl(), name);
	const sessions = () => posts(service).map(({ path }) => /session\/([^/]+)/.exec(path)?.[1]);

	it("is the Chat Trigger's, whatever the model gives beside", async () => {
		await talk({}, { chatted: { sessionId: 'own' } });
		expect(sessions()).toEqual([sessionOf('chat own')]);
	});

	it('is a new one where no Chat Trigger has run', async () => {
		const { answers } = await talk({});
		expect(answers[0]).toMatch(/"sessionSource":"new"/);
		expect(sessions()).toEqual([expect.stringMatching(/^[0-9a-f-]{36}$/)]);
		expect(sessions()).not.toContain(sessionOf('input of-another'));
	});

	it('and the message is what the model writes, never the chat input of the item', async () => {
		const calls = [{ message: 'by the model', chatInput: 'by a user' }];
		for (const messageSource of ['fromInput', 'define'])
			await talk({ messageSource }, { calls, chatted: { chatInput: 'by a user' } });
		const sent = posts(service).map(({ body }) => (body as { content: string }).content);
		expect(sent).toEqual(['by the model', 'by the model']);
	});

	it('an assistant continues no chat of the item', async () => {
		const tool = assistant('ask', { questionSource: 'fromInput', question: MESSAGE });
		const given = { message: 'hello', chatId: 'of-another', sessionId: 'of-another' };
		const { answers } = await call(way, { tool, calls: [given] });
		expect(answers[0]).toMatch(/"sessionSource":"new"/);
		expect(posts(service).map(({ body }) => body)).toEqual([{ message: 'hello' }]);
	});

	it.each([
		["={{ $('Start').item.json.asked }}", 'by a user'],
		["=thread {{ $('Start').first().json.asked }}", 'thread by a user'],
		['={{ $("The \\"Chat\\"").first().json.sessionId }}', 'own'],
		['={{ $execution.id }}', 'execution-1'],
		['fixed', 'fixed'],
	])('may be made of %s, which is out of reach of the model', async (sessionKey, key) => {
		const parameters = { sessionMode: 'key', sessionKey };
		const { answers } = await talk(parameters, { chatted: { sessionId: 'own' } });
		expect([sessions(), answers]).toEqual([
			[sessionOf(`key ${key}`)],
			[expect.stringContaining('hello')],
		]);
	});

	it.each([
		'={{ $json.asked }}',
		"={{ $fromAI('asked', '', 'string') }}",
		"={{ $('Ask It').last().json.asked }}",
		"={{ $('Agent').last().json.asked }}",
		"={{ $('After').last().json.asked }}",
		"={{ $('Nobody').last().json.asked }}",
		"={{ $('Start').item.json.asked + $json.asked }}",
		"={{ $('Start').item.json[$json.asked] }}",
	])('is not made of %s', async (sessionKey) => {
		const { answers } = await talk({ sessionMode: 'key', sessionKey });
		expect(answers).toEqual([
			expect.stringMatching(
				/Session Key has an expression that the model of an AI agent could fill.*Nothing was sent.*tell the user/,
			),
		]);
		expect(service.requests).toEqual([]);
	});
});

describe('fields that a model must not choose', () => {
	const ruled = allFields().filter(({ rules, outerRules }) => rules.inTool ?? outerRules.inTool);
	const tools = ['workspaceAgent', 'marketAssistant', 'modelRouter'];
	const ofTools = ruled.filter(({ node }) => tools.includes(node));
	const titlesOf = (fields: Field[]) => new Set(fields.map(({ label }) => label));

	it('are these', () => {
		expect([...titlesOf(ofTools)].sort()).toEqual([
			'Chat ID',
			'Options: Allow Unknown Cost',
			'Options: Ledger Label',
			'Options: Spending Cap per Execution (USD)',
			'Request Settings: Idle Timeout (Seconds)',
			'Request Settings: Max Items at Once',
			'Request Settings: Resend If Outcome Is Unknown',
			'Request Settings: Total Timeout (Seconds)',
			'Request Settings: Wait When Rate-Limited (Seconds)',
			'Session',
			'Session ID',
			'Session Key',
			'Spending Cap per Item (USD)',
			'Track in Job Ledger',
			'Unique Key (Start Only Once)',
		]);
	});

	it('a new one that sounds like them is one', () => {
		const named = /session|key\b|chat\b|cap\b|allow|again|ledger|limit \(|label/i;
		const others = allFields().filter(
			(field) =>
				tools.includes(field.node) &&
				named.test(field.label) &&
				// refused below an AI agent as a whole
				!field.title.startsWith('modelRouter ledger ') &&
				!field.takesNoExpression &&
				!ruled.some(({ title }) => title === field.title),
		);
		// shown nowhere
		expect(others.filter(({ type }) => type !== 'hidden').map(({ title }) => title)).toEqual([]);
	});

	const credentials: Record<string, string> = {
		workspaceAgent: 'workspaceAgentApi',
		marketAssistant: 'marketAssistantApi',
		modelRouter: 'modelRouterApi',
	};

	it.each(ofTools.map((field) => [field.title, field] as const))('%s', async (_title, field) => {
		const expressions = [
			`={{ $fromAI('given', '', '${typeof field.good}') }}`,
			'={{ $json.given }}',
			`={{ $json.given ?? ${JSON.stringify(field.good)} }}`,
			...((field.rules.inTool ?? field.outerRules.inTool) === 'fixed'
				? [`={{ ${JSON.stringify(field.good)} }}`, "={{ $('Start').item.json.asked }}"]
				: []),
		];
		for (const expression of expressions)
			for (const way of ways) {
				const { answers } = await call(way, {
					tool: {
						node: field.node,
						parameters: { ...field.stored(expression), allowAgents: true },
						credential: credentials[field.node] ?? '',
					},
					calls: [{ given: field.good } as IDataObject],
				});
				expect([expression, answers]).toEqual([
					expression,
					[
						expect.stringMatching(
							/(takes no expression in a tool|has an expression that the model).*Do not call this tool again: tell the user/,
						),
					],
				]);
				expect(answers[0]).toContain(field.label);
			}
		expect(service.requests).toEqual([]);
	});
});

describe('what a model leaves out', () => {
	const tool = assistant('ask', {
		question: "={{ $fromAI('question', 'What to ask', 'string') }}",
	});

	it.each(ways)('is asked of it by its name, %s', async (way) => {
		const settings = { onError: 'continueRegularOutput' as const };
		for (const given of [{}, { question: '' }, { question: ' ' }]) {
			const { answers } = await call(way, { tool, calls: [given], settings });
			// agents before version 3 check what a model gives by themselves
			if (way === 'by itself' && !('question' in given)) continue;
			expect(answers[0]).toMatch(
				/Question is empty: nothing was given for .*question.*Call the tool again with a value for .*question/,
			);
		}
		expect(service.requests).toEqual([]);
	});

	it.each(ways)('is what the tool falls back on, where it does, %s', async (way) => {
		const question = "={{ $fromAI('question', 'What to ask', 'string', 'How is ETH?') }}";
		await call(way, { tool: assistant('ask', { question }), calls: [{}] });
		expect(posts(service).map(({ body }) => body)).toEqual([{ message: 'How is ETH?' }]);
	});

	it('of an optional field is a question for a person where the model has no part in it', async () => {
		const parameters = { prompt: 'a cat', allowAgents: true };
		const { answers } = await call('by the engine', {
			tool: job('start', {
				...parameters,
				model: { __rl: true, mode: 'id', value: 'canvas/sketch-1' },
				parameters: "={{ $('Start').item.json.missing }}",
			}),
			calls: [{}],
		});
		expect(answers[0]).toMatch(
			/Additional Parameters \(JSON\) is empty: its expression found nothing.*Do not call this tool again: tell the user to correct/,
		);
		expect(posts(service)).toEqual([]);
	});
});
