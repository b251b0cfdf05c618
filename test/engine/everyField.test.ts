import { readFileSync } from 'node:fs';
import type { IDataObject, INodeParameters } from 'n8n-workflow';

import { callTool } from './rig/agentTool';
import { secretsOf, secretsWithLedger } from './rig/calls';
import { useModel } from './rig/chatModel';
import { allFields, type Field } from './rig/fields';
import { activated, executed } from './rig/poll';
import { start, type RunOptions, shownText } from './rig/run';
import { triggerRig, type TriggerRig } from './rig/triggers';

// one rule for every field of every operation of every node: an expression that finds nothing is refused, unless the field says
// that it may be empty. The fields are found in what the nodes declare, so that a new one is here, too.
let rig: TriggerRig;
beforeAll(async () => (rig = await triggerRig()));
beforeEach(() => rig.reset());
afterAll(async () => await rig.stop());

const fields = allFields();
const isTrigger = ({ node }: Field) => node === 'modelRouterTrigger';
/** It runs for another node, with the other's items. */
const isModel = ({ node }: Field) => node === 'lmChatModelRouter';
const ofItems = fields.filter((field) => !isTrigger(field) && !isModel(field));
const mayBeEmpty = ({ rules }: Field) => rules.mayBeEmpty === true;
/** They are read once, with the first item. */
const isSetting = ({ label }: Field) => label.startsWith('Request Settings: ');

const NOTHING = [undefined, null, '', ' \n'];
const saying = ({ label }: Field) => `${label} is empty: its expression found nothing`;

const CREDENTIALS: Record<string, string> = {
	workspaceAgent: 'workspaceAgentApi',
	marketAssistant: 'marketAssistantApi',
};

async function runWith(
	{ node }: Field,
	parameters: INodeParameters,
	items: IDataObject[],
	more: Partial<RunOptions> = {},
) {
	return await start({
		...{ node, parameters, items },
		credential: CREDENTIALS[node] ?? 'modelRouterApi',
		secrets: secretsWithLedger(rig.service, rig.n8n),
		withSpeakers: node === 'agentConversation',
		...more,
	}).finished;
}

const asked = () => [...rig.service.requests, ...rig.n8n.service.requests];

it('finds the fields', () => {
	const titles = fields.map(({ title }) => title);
	expect(titles.length).toBeGreaterThan(200);
	expect(titles).toEqual(
		expect.arrayContaining([
			'workspaceAgent: Session Key',
			'modelRouter media start: Options: Spending Cap per Execution (USD)',
			'modelRouter media generate: Inputs 1: URL',
			'modelRouter text message: Options: Tools 1: Parameters (JSON Schema)',
			'modelRouter text message: Options: Tool Choice: Tool Name',
			'marketAssistant askGuided: Options: Include Raw Events',
			'modelRouter ledger getMany: Filters: State',
			'modelRouterTrigger: Options: Max Jobs per Run',
			'agentConversation: Options: Stop Pattern',
			'modelRouter text message: Request Settings: Total Timeout (Seconds)',
			'workspaceAgent: Request Settings: Total Timeout (Seconds)',
			'lmChatModelRouter: Options: Fallback Models 1: Model',
			'lmChatModelRouter: Request Settings: Resend If Outcome Is Unknown',
		]),
	);
});

describe.each(
	ofItems
		.filter((field) => !mayBeEmpty(field) && !field.takesNoExpression)
		.map((field) => [field.title, field] as const),
)('%s', (_title, field) => {
	it('is refused where its expression finds nothing, and nothing is asked of the service', async () => {
		const parameters = field.stored('={{ $json.given }}');
		const items = isSetting(field) ? [{}] : [{ given: field.good as string }, {}];
		const { error } = await runWith(field, parameters, items);
		expect(error?.message).toContain(saying(field));
		expect(shownText(error)).toContain('Correct the expression, or give it a fallback');
		expect(error?.context?.['itemIndex']).toBe(isSetting(field) ? undefined : 1);
		expect(asked()).toEqual([]);
	});

	it('undefined, null, an empty text and blanks are nothing', async () => {
		const items = NOTHING.map((given) => ({ ...(given !== undefined && { given }) }));
		const { run } = await runWith(field, field.stored('={{ $json.given }}'), items, {
			settings: { onError: 'continueRegularOutput' },
		});
		const outputs = run.data.resultData.runData['Node']?.at(-1)?.data?.['main'] ?? [];
		const told = outputs.flat().map((item) => item?.json['error']);
		expect(told).toEqual(NOTHING.map(() => expect.stringContaining(saying(field))));
		expect(asked()).toEqual([]);
	});
});

describe.each(
	fields
		.filter((field) => isModel(field) && !field.takesNoExpression)
		.map((field) => [field.title, field] as const),
)('%s', (_title, field) => {
	it.each(NOTHING)(
		'is refused where its expression finds %j, before anything is asked',
		async (given) => {
			const { error } = await useModel({
				secrets: secretsOf(rig.service),
				parameters: field.stored('={{ $json.given }}'),
				items: [given === undefined ? {} : { given }],
				use: async (model) => await model.invoke('hello'),
			});
			expect(error?.message).toContain(saying(field));
			expect(shownText(error)).toContain('Correct the expression, or give it a fallback');
			expect(asked()).toEqual([]);
		},
	);

	it('takes an expression that finds something', async () => {
		const { error } = await useModel({
			secrets: secretsOf(rig.service),
			parameters: field.stored('={{ $json.given }}'),
			items: [{ given: field.good as string }],
			use: async (model) => await model.invoke('hello'),
		});
		expect(error?.message ?? '').not.toContain('its expression');
	});
});

describe('a field whose expression may find nothing', () => {
	const cases = fields.filter(mayBeEmpty);

	it('is one of these', () => {
		expect(cases.map(({ title }) => title)).toEqual([
			'modelRouter text message: Messages 1: Tool Calls (JSON)',
			'modelRouter text estimateCost: Messages 1: Tool Calls (JSON)',
			'agentConversation: Opening Message',
			'agentConversation: Options: Transcript to Continue (JSON)',
		]);
	});

	it.each(cases.map((field) => [field.title, field] as const))('%s', async (_title, field) => {
		expect(field.description).toMatch(/expression (that finds|may find) nothing/);
		for (const given of NOTHING) {
			const items = [given === undefined ? {} : { given }];
			const { error } = await runWith(field, field.stored('={{ $json.given }}'), items);
			expect(error?.message ?? '').not.toContain('its expression found nothing');
		}
	});

	it.each(
		fields
			.filter(({ rules }) => typeof rules.mayBeEmpty === 'function')
			.map((field) => [field.title, field] as const),
	)('%s, of an assistant with Tool Calls', async (_title, field) => {
		expect(field.description).toMatch(/an expression may find nothing/);
		const call = { id: 'call-1', type: 'function', function: { name: 'f', arguments: '{}' } };
		const row = { role: 'assistant', content: '={{ $json.given }}' };
		const rows = (more: object) => ({
			...field.stored(''),
			messages: {
				message: [
					{ role: 'user', content: 'hello' },
					{ ...row, ...more },
				],
			},
		});
		const called = await runWith(field, rows({ toolCalls: JSON.stringify([call]) }), [{}]);
		expect(called.error).toBeUndefined();
		const { error } = await runWith(field, rows({}), [{}]);
		expect(error?.message).toMatch(/^Messages 2: Content is empty/);
	});
});

it.each(
	fields.filter((field) => field.takesNoExpression).map((field) => [field.title, field] as const),
)('%s takes no expression, also none that a model fills', async (_title, { node, stored }) => {
	const { answers } = await callTool('by the engine', {
		tool: {
			node,
			credential: CREDENTIALS[node] ?? 'modelRouterApi',
			// n8n takes the sign of any other expression away
			parameters: stored("={{ $fromAI('given') }}"),
		},
		secrets: secretsOf(rig.service),
		calls: [{ given: 'start' }],
	});
	expect(answers).toEqual([expect.stringMatching(/takes? no expression/)]);
	expect(asked()).toEqual([]);
});

describe.each(fields.filter(isTrigger).map((field) => [field.title, field] as const))(
	'%s',
	(_title, field) => {
		it.each(['{{ $vars.given }}', '{{ null }}', "{{ '' }}", "{{ ' ' }}", '{{ JSON.parse("{") }}'])(
			'is refused with %s, in a poll and in the execution that it starts',
			async (code) => {
				const options = rig.trigger(field.stored(`=${code}`));
				const { items, error } = await activated(options).poll();
				expect([items, error?.message]).toEqual([null, expect.stringContaining(saying(field))]);
				const { error: late } = await executed({ ...options, items: [{ json: {} }] });
				expect(late?.message).toContain(saying(field));
				expect(asked()).toEqual([]);
			},
		);
	},
);

it('the documentation says so', () => {
	expect(readFileSync('docs/items-and-errors.md', 'utf8')).toContain(
		'An expression that finds nothing',
	);
});
