import type { IDataObject, INodeParameters } from 'n8n-workflow';

import { sessionIdOf } from '../../nodes/WorkspaceAgent/message/session';
import { callTool, type ToolOptions, type Way } from './rig/agentTool';
import { agent, assistant, job, posts, secretsOf } from './rig/calls';
import { allFields, type Field } from './rig/fields';
import { serviceForTests } from './rig/service';

// what the model of an AI agent must not choose when it calls a node as its tool: sessions, keys, caps, what allows something
const service = serviceForTests();

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

	it("is the Chat Trigger's, whatever the model gives beside, or a new one", async () => {
		await talk({}, { chatted: { sessionId: 'own' } });
		expect(sessions()).toEqual([sessionOf('chat own')]);
		const { answers } = await talk({});
		expect(answers[0]).toMatch(/"sessionSource":"new"/);
		expect(sessions()[1]).not.toBe(sessionOf('input of-another'));
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
		["=thread {{ $('Start').first().json.asked }}", 'thread by a user'],
		['={{ $("The \\"Chat\\"").first().json.sessionId }}', 'own'],
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
		"={{ $('Nobody').last().json.asked }}",
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

const credentials: Record<string, string> = {
	workspaceAgent: 'workspaceAgentApi',
	marketAssistant: 'marketAssistantApi',
	modelRouter: 'modelRouterApi',
};

describe('fields that a model must not choose', () => {
	const fields = allFields().filter(({ node }) => node in credentials);
	// a tool has no such field: approvals.test.ts
	const isAbsent = (label: string) => label === 'Options: Answer to Approval';
	const ruled = fields.filter(
		({ rules, outerRules, label }) => (rules.inTool ?? outerRules.inTool) && !isAbsent(label),
	);
	const labels = [...new Set(ruled.map(({ label }) => label))].sort();

	it('are these', () => {
		expect(labels).toEqual([
			'Agent',
			'Chat ID',
			'Options: Allow Unknown Cost',
			'Options: Spending Cap per Execution (USD)',
			'Options: Spending Label',
			'Options: Trigger Group',
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
			'Trigger Group',
			'Unique Key (Start Only Once)',
		]);
	});

	it('a new one that sounds like them is one', () => {
		const named = /session|key\b|chat\b|cap\b|allow|again|ledger|limit \(|label/i;
		const others = fields.filter(
			({ label, title, type, takesNoExpression }) =>
				named.test(label) &&
				// refused below an AI agent as a whole
				!/^modelRouter (ledger|spending) /.test(title) &&
				!takesNoExpression &&
				type !== 'hidden' &&
				!ruled.some((one) => one.title === title),
		);
		expect(others.map(({ title }) => title)).toEqual([]);
	});

	it.each(ruled.map((field) => [field.title, field] as const))('%s', async (_title, field) => {
		const good = JSON.stringify(field.good);
		const type = typeof field.good === 'object' ? 'json' : typeof field.good;
		const expressions = [
			`={{ $fromAI('given', '', '${type}') }}`,
			`={{ $json.given ?? ${good} }}`,
			...((field.rules.inTool ?? field.outerRules.inTool) === 'fixed'
				? [`={{ ${good} }}`, "={{ $('Start').item.json.asked }}"]
				: []),
		];
		// n8n takes the sign of any other expression away
		const kept = field.takesNoExpression ? expressions.slice(0, 1) : expressions;
		for (const [at, expression] of kept.entries()) {
			const parameters = { ...field.stored(expression), allowAgents: true };
			const isOther = 'agentOf' in parameters && parameters.agentOf === 'server';
			const { answers } = await call(ways[at % 2]!, {
				tool: {
					node: field.node,
					parameters,
					credential: isOther ? 'agentServerApi' : (credentials[field.node] ?? ''),
				},
				calls: [{ given: field.good } as IDataObject],
			});
			const refusal = expect.stringMatching(
				/(cannot be an expression in a tool|has an expression that the model).*Do not call this tool again: tell the user/,
			);
			expect([expression, answers]).toEqual([expression, [refusal]]);
			expect(answers[0]).toContain(field.label);
		}
		expect(service.requests).toEqual([]);
	});
});

describe('what a model leaves out', () => {
	const types: Partial<Record<Field['type'], string>> = { number: 'number', boolean: 'boolean' };
	// n8n-io/n8n#19128 made an empty default a valid one on purpose
	const expressionFor = ({ type }: Field) =>
		`={{ $fromAI('given', '', '${types[type] ?? 'string'}', '') }}`;
	const free = allFields().filter(
		({ title, node, takesNoExpression, rules, outerRules }) =>
			node in credentials &&
			// refused below an AI agent as a whole
			!/^modelRouter (ledger|budget|spending) /.test(title) &&
			!takesNoExpression &&
			!(rules.inTool ?? outerRules.inTool),
	);
	const callWith = async ({ node }: Field, stored: INodeParameters) => {
		const parameters = { ...stored, allowAgents: true, useLedger: false, uniqueKey: '' };
		const tool = { node, parameters, credential: credentials[node]! };
		service.requests.length = 0;
		const { answers } = await call('by the engine', { tool, calls: [{}] });
		const [{ error }] = JSON.parse(answers[0]!) as [{ error?: string }];
		return { error, bodies: posts(service).map(({ body }) => body) };
	};
	const titled = (fields: Field[]) => fields.map((field) => [field.title, field] as const);
	// a job without a prompt is not started where a model asks for it
	const isNeeded = ({ isRequired, title }: Field) =>
		isRequired || / media \w+: Prompt$/.test(title);

	it.each(titled(free.filter((field) => !isNeeded(field))))(
		'counts as not set, if its default is empty: %s',
		async (_title, field) => {
			const expression = expressionFor(field);
			const omit = (_name: string, value: unknown): unknown => {
				// a row without its file is none
				if (Array.isArray(value)) return value.filter((row) => Object(row).file !== expression);
				return value === expression ? undefined : value;
			};
			const parameters = field.stored(expression);
			const without = JSON.parse(JSON.stringify(parameters, omit)) as INodeParameters;
			expect(await callWith(field, parameters)).toEqual(await callWith(field, without));
		},
	);

	it.each(titled(free.filter(isNeeded)))(
		'is asked for, where the field needs it: %s',
		async (_title, field) => {
			const { error, bodies } = await callWith(field, field.stored(expressionFor(field)));
			expect(error).toContain(' is empty: nothing was given for "given". Nothing was sent.');
			expect(bodies).toEqual([]);
		},
	);

	it.each(ways)('is what the tool falls back on, where it does, %s', async (way) => {
		const question = "={{ $fromAI('question', 'What to ask', 'string', 'How is ETH?') }}";
		await call(way, { tool: assistant('ask', { question }), calls: [{}] });
		expect(posts(service).map(({ body }) => body)).toEqual([{ message: 'How is ETH?' }]);
	});

	it('of an optional field is a question for a person where the model has no part in it', async () => {
		const model = { __rl: true, mode: 'id', value: 'canvas/sketch-1' };
		const parameters = "={{ $('Start').item.json.missing }}";
		const options = { parameters };
		const tool = job('start', { prompt: 'a cat', allowAgents: true, model, options });
		const { answers } = await call('by the engine', { tool, calls: [{}] });
		expect(answers[0]).toMatch(
			/Additional Parameters \(JSON\) is empty: its expression found nothing.*Do not call this tool again: tell the user to correct/,
		);
		expect(posts(service)).toEqual([]);
	});
});
