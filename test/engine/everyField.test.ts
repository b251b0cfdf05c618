import type { IDataObject, INodeParameters } from 'n8n-workflow';

import { callTool } from './rig/agentTool';
import { useModel } from './rig/chatModel';
import { allFields, type Field } from './rig/fields';
import { startLedgerRig } from './rig/ledger';
import { activated, executed } from './rig/poll';
import { run, shownText, type RunOptions } from './rig/run';

// one rule for every field of every operation of every node: an expression that finds nothing is refused, unless the field says
// that it may be empty. The fields are found in what the nodes declare, so that a new one is here, too.
const rig = startLedgerRig();

const fields = allFields();
const isTrigger = ({ node }: Field) => node === 'modelRouterTrigger';
/** It runs for another node, with the other's items. */
const isModel = ({ node }: Field) => node === 'lmChatModelRouter';
const ofItems = fields.filter((field) => !isTrigger(field) && !isModel(field));
const mayBeEmpty = ({ rules }: Field) => rules.mayBeEmpty === true;
/** They are read once, with the first item. */
const isSetting = ({ label }: Field) => label.startsWith('Request Settings: ');

const NOTHING = [undefined, null, '', ' \n'];
const saying = ({ label }: Field, value?: unknown) =>
	`${label} is empty: its expression ${typeof value === 'string' ? 'gave an empty text' : 'found nothing'}`;

const remedy = (value: unknown) =>
	`Correct the expression, or ${typeof value === 'string' ? 'filter such items out' : 'give it a fallback'}`;

const CREDENTIALS: Record<string, string> = {
	workspaceAgent: 'workspaceAgentApi',
	marketAssistant: 'marketAssistantApi',
};

const runWith = async (
	{ node }: Field,
	parameters: INodeParameters,
	items: IDataObject[],
	settings: RunOptions['settings'] = {},
) =>
	await run({
		node,
		parameters,
		items,
		settings,
		secrets: rig.secrets(),
		credential: parameters['agentOf'] === 'server' ? 'agentServerApi' : credentialOf(node),
		withSpeakers: node === 'agentConversation',
	});
const credentialOf = (node: string) => CREDENTIALS[node] ?? 'modelRouterApi';
const asked = () => [...rig.service.requests, ...rig.n8n.service.requests];
const given = (value: unknown) => (value === undefined ? {} : { given: value as string });
const titled = (list: Field[]) => list.map((field) => [field.title, field] as const);

it('finds the fields', () => {
	const titles = fields.map(({ title }) => title);
	expect(titles.length).toBeGreaterThan(200);
	expect(titles).toEqual(
		expect.arrayContaining([
			'workspaceAgent: Session Key',
			'modelRouter text message: Options: Tools 1: Parameters (JSON Schema)',
			'marketAssistant: Options: Include Raw Events',
			'modelRouterTrigger: Options: Max Jobs per Run',
			'agentConversation: Options: Stop Pattern',
			'lmChatModelRouter: Request Settings: Resend If Outcome Is Unknown',
		]),
	);
});

it.each(titled(ofItems.filter((field) => !mayBeEmpty(field) && !field.takesNoExpression)))(
	'%s is refused where its expression finds nothing, and nothing is asked of the service',
	async (_title, field) => {
		const parameters = field.stored('={{ $json.given }}');
		const items = isSetting(field) ? [{}] : [given(field.good), {}];
		const { error } = await runWith(field, parameters, items);
		expect(error?.message).toContain(saying(field));
		expect(shownText(error)).toContain(remedy(undefined));
		expect(error?.context?.['itemIndex']).toBe(isSetting(field) ? undefined : 1);

		const carryOn = { onError: 'continueRegularOutput' } as const;
		const outcome = await runWith(field, parameters, NOTHING.map(given), carryOn);
		const told = [...outcome.items, ...outcome.failed].map((item) => item.json['error']);
		expect(told).toEqual(NOTHING.map((value) => expect.stringContaining(saying(field, value))));
		expect(asked()).toEqual([]);
	},
);

describe.each(titled(fields.filter((field) => isModel(field) && !field.takesNoExpression)))(
	'%s',
	(_title, field) => {
		const ask = async (item: IDataObject) => {
			const parameters = field.stored('={{ $json.given }}');
			const secrets = rig.secrets();
			const use = async (model: Parameters<Parameters<typeof useModel>[0]['use']>[0]) =>
				await model.invoke('hello');
			return (await useModel({ secrets, parameters, items: [item], use })).error;
		};

		it('is refused where its expression finds nothing, before anything is asked', async () => {
			for (const value of NOTHING) {
				const error = await ask(given(value));
				expect(error?.message).toContain(saying(field, value));
				expect(shownText(error)).toContain(remedy(value));
			}
			expect(asked()).toEqual([]);
		});

		it('takes an expression that finds something', async () => {
			expect((await ask(given(field.good)))?.message ?? '').not.toContain('its expression');
		});
	},
);

describe('a field whose expression may find nothing', () => {
	const cases = fields.filter(mayBeEmpty);

	it('is one of these', () => {
		expect(cases.map(({ title }) => title)).toEqual([
			'agentConversation: Opening Message',
			'agentConversation: Options: Transcript to Continue (JSON)',
		]);
	});

	it.each(titled(cases))('%s', async (_title, field) => {
		expect(field.description).toMatch(/expression (that finds|may find) nothing/);
		for (const value of NOTHING) {
			const { error } = await runWith(field, field.stored('={{ $json.given }}'), [given(value)]);
			expect(error?.message ?? '').not.toContain('its expression');
		}
	});
});

/** A tool refuses these operations whatever their fields hold. */
const isForPeople = ({ title }: Field) => /^modelRouter (ledger|budget|spending) /.test(title);

it.each(
	titled(
		fields.filter((field) => field.takesNoExpression && !isForPeople(field) && !isModel(field)),
	),
)(
	'%s cannot be an expression, not even one that a model fills',
	async (_title, { node, stored }) => {
		// n8n takes the sign of any other expression away
		const parameters = stored("={{ $fromAI('given') }}");
		const tool = { node, credential: credentialOf(node), parameters };
		const calls = [{ given: 'start' }];
		const { answers } = await callTool('by the engine', { tool, secrets: rig.secrets(), calls });
		expect(answers).toEqual([expect.stringMatching(/cannot be (an expression|expressions)/)]);
		expect(asked()).toEqual([]);
	},
);

it.each(titled(fields.filter((field) => isTrigger(field) && !field.takesNoExpression)))(
	'%s is refused in a poll and in the execution that it starts',
	async (_title, field) => {
		for (const [code, value] of [
			['$vars.given'],
			['null'],
			["''", ''],
			["' '", ' '],
			['JSON.parse("{")'],
		]) {
			const options = rig.trigger(field.stored(`={{ ${code} }}`));
			const { items, error } = await activated(options).poll();
			expect([items, error?.message]).toEqual([null, expect.stringContaining(saying(field))]);
			const { error: late } = await executed({ ...options, items: [{ json: {} }] });
			expect(late?.message).toContain(saying(field, value));
		}
		expect(asked()).toEqual([]);
	},
);
