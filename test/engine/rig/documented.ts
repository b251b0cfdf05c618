import type { IDataObject, INode, INodeExecutionData, INodeParameters } from 'n8n-workflow';

import { MAX_SPENDING_ROWS } from '../../../src/spending/recordBook';
import { startService, type Service } from '../../service/service';
import {
	agent,
	assistant,
	budget,
	chat,
	failPosts,
	job,
	ledger,
	model as byId,
	models,
	secretsWithLedger,
	spending,
	withAccount,
	refusedRequest,
} from './calls';
import { useModel } from './chatModel';
import { converse } from './converse';
import { letPass, startDataTables } from './dataTables';
import { ours } from './flow';
import { activated, executed } from './poll';
import { run, type Outcome, type RunOptions } from './run';

/** Outputs for the documentation, each by its title: the node, and the operation or event. */
export type Outputs = Record<string, IDataObject>;

type Call = Omit<RunOptions, 'secrets'>;
type Run = (options: RunOptions) => Promise<Pick<Outcome, 'items' | 'error'>>;

const picture: INodeParameters = {
	mediaType: 'images',
	model: byId('canvas/sketch-1'),
	prompt: 'A lighthouse in the fog, watercolor',
	// counts in a tool only
	allowAgents: true,
};
const tracked = { ...picture, useLedger: true };
const question = { inputType: 'prompt', prompt: 'What is a model router?' };

const ANSWERS = {
	'Remote Agent: Send': agent({
		message: 'On which day can you release Lighthouse?',
		sessionMode: 'new',
	}),
	'Crypto Q&A: Ask': assistant('askStreaming', { question: 'How is the sentiment for ETH?' }),
	'Model Router: Text: Message a Model': chat('', question),
	'Model Router: Text: Estimate Cost': chat('', { ...question, operation: 'estimateCost' }),
	'Model Router: Model: Get': models('getModel', { model: byId('northwind/quill-2.5') }),
	'Model Router: Model: Get Many': models('getModels', {}),
};

/** Calls every operation once, against the reference service with its scripted answers. Later ones use what earlier ones made. */
export async function documentedOutputs(runNode: Run = run): Promise<Outputs> {
	const service = await startService({ personas: true });
	const n8n = await startDataTables();
	const secrets = secretsWithLedger(service, n8n);
	const outputs: Outputs = {};
	/** @throws what the node reports, so that no example shows a failure. */
	const first = async (call: Call, data = secrets): Promise<IDataObject> => {
		const { items, error } = await runNode({ ...call, secrets: data });
		if (error) throw error;
		return shown(items[0]);
	};
	const add = async (title: string, call: Call, data = secrets) =>
		(outputs[`Model Router: ${title}`] = await first(call, data));
	/** A start whose answer is lost: what happened to it is not known. */
	const startUnknown = async (uniqueKey: string) => {
		const body = { message: 'internal error' };
		failPosts(service, { type: 'status', status: 500, body }, 1);
		await runNode({ ...job('start', { ...tracked, uniqueKey }), secrets });
	};
	/** What a trigger delivers in one poll and the execution that it starts. */
	const delivered = async (parameters: INodeParameters = {}, data = secrets) => {
		letPass(n8n, 3_600_000);
		const trigger = { parameters, secrets: data, workflowId: 'workflow-1' };
		const { items, error } = await activated(trigger).poll();
		if (error) throw error;
		return shown((await executed({ ...trigger, items: items ?? [] })).items[0]);
	};
	try {
		for (const [title, call] of Object.entries(ANSWERS)) outputs[title] = await first(call);

		service.forms.jobSteps = 2;
		const started = await add('Media: Start Job', job('start', picture));
		const ofJob = { mediaType: 'images', jobId: String(started['jobId']) };
		await add('Media: Get Job', job('getJob', ofJob));
		service.forms.jobSteps = 0;
		await add('Media: Wait for Job', job('wait', ofJob));
		await add('Media: Download File', job('download', ofJob));
		await add('Media: Generate', job('generate', picture));
		await add('Media: Track Existing Job', job('track', ofJob));

		await startUnknown('order-7');
		await startUnknown('order-8');
		outputs['Model Router Trigger: Outcome Unknown'] = await delivered({
			events: ['outcomeUnknown'],
		});
		await first(job('start', { ...tracked, uniqueKey: 'order-9' }));
		await first(job('start', tracked));
		Object.assign(n8n.rows.at(-1) ?? {}, { id: 1000, state: 'delivered', startedAt: 1 });
		await add('Job Ledger: Delete Many', ledger('deleteMany', {}));
		await add('Job Ledger: Get Many', ledger('getEntries', {}));
		const resolved = { uniqueKey: 'order-7', jobId: 'job-7' };
		await add('Job Ledger: Mark as Started', ledger('markStarted', resolved));
		const open = { uniqueKey: 'order-8' };
		await add('Job Ledger: Mark as Not Started', ledger('markNotStarted', open));

		n8n.rows.length = 0;
		await first(job('start', tracked));
		const completed = await delivered();
		const ofDelivery = { jobId: String(completed['jobId']) };
		await add('Job Ledger: Deliver Again', ledger('deliverAgain', ofDelivery));
		await delivered();
		await add('Job Ledger: Confirm Delivery', ledger('confirmDelivery', ofDelivery));
		const triggerGroup = 'posters';
		await first(job('start', { ...tracked, prompt: '[[fail]]', options: { triggerGroup } }));
		outputs['Model Router Trigger: Media Job Completed'] = completed;
		const confirmed = { triggerGroup, deliveredWhen: 'confirmed' };
		outputs['Model Router Trigger: Media Job Failed'] = await delivered(confirmed);

		// a budget of which a job has reserved a part
		service.forms.jobSteps = 2;
		const withBudget = withAccount(secrets, { budgetUsd: '50', workflowsMayResume: true });
		const { jobId } = await first(job('start', picture), withBudget);
		await add('Budget: Get', budget('getBudget'), withBudget);
		await add('Budget: Pause', budget('pause', { reason: 'An agent loops' }), withBudget);
		const mayRaise = withAccount(secrets, { budgetUsd: '50', workflowsMayRaiseBy: '20' });
		const request = refusedRequest();
		const raising = { request, amount: 5, reason: 'Ada approved it' };
		await add('Budget: Raise for This Period', budget('raise', raising), mayRaise);
		await add('Budget: Resume', budget('resume'), withBudget);
		const reservation = { reservationId: `job:images:${String(jobId)}` };
		await add('Budget: Release', budget('release', reservation), withBudget);

		const withRecord = withAccount(secrets, { recordSpending: true });
		await first(chat('', question), withRecord);
		await add('Spending: Get', spending('getSpending'), withRecord);
		await add('Spending: Combine Old Rows', spending('combineRows'), withRecord);
		const [recorded] = n8n.spending;
		for (let id = 2; id <= MAX_SPENDING_ROWS * 0.8; id++) n8n.spending.push({ ...recorded, id });
		outputs['Model Router Trigger: Spending Table Nearly Full'] = await delivered(
			{ events: ['spendingTableNearlyFull'] },
			withRecord,
		);
		// a picture costs four fifths of it
		service.forms.jobSteps = 0;
		const withAlarm = withAccount(withBudget, { budgetUsd: '0.05' });
		await first(job('generate', picture), withAlarm);
		outputs['Model Router Trigger: Budget Threshold Reached'] = await delivered(
			{ events: ['budgetThresholdReached'] },
			withAlarm,
		);

		const { calls, error } = await useModel({
			secrets,
			use: async (model) => await model.invoke(question.prompt),
		});
		if (error) throw error;
		outputs['Model Router Chat Model: Call'] = calls[0]?.output ?? {};
		outputs['Agent Conversation'] = await conversation(secrets);
		return withoutRandom(outputs, service) as Outputs;
	} finally {
		await service.stop();
		await n8n.stop();
	}
}

/** What n8n shows of an item: of a file its facts, for its content has a tab of its own. */
function shown(item: INodeExecutionData | undefined): IDataObject {
	const { json = {}, binary } = item ?? {};
	return binary ? { ...json, '(files)': Object.keys(binary) } : json;
}

async function conversation(secrets: RunOptions['secrets']): Promise<IDataObject> {
	const speaker = (name: string): INode =>
		ours(name, 'workspaceAgentTool', { credential: 'workspaceAgentApi' });
	const { json, error } = await converse({
		parameters: { turnLimit: 2 },
		speakers: { Planner: speaker('Planner'), Tester: speaker('Tester') },
		secrets,
		items: [{ chatInput: 'Please agree on a day for the release of Lighthouse.' }],
	});
	if (error) throw error;
	return json;
}

const UUID = /[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}/g;
const TIME = /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z/g;

/** The same with constants in place of IDs, times and ports that differ in every run. */
function withoutRandom(value: unknown, service: Service, name = ''): unknown {
	if (typeof value === 'string')
		return value
			.replaceAll(service.url, 'https://router.example.com')
			.replace(/^month:[\d-]+:/, 'month:2026-01-01:')
			.replace(UUID, '6f1c2b1e-8d3a-4c0e-9a55-0d2f6b7c8e90')
			.replace(/^ledgertable\d+$/, 'AbC123dEf456gHi7')
			.replace(/^(budget|spending):\d{4}-\d\d:/, '$1:2026-01:')
			.replace(TIME, '2026-01-15T09:30:00.000Z');
	if (typeof value === 'number' && /(At|Ms|ageSeconds|created)$/.test(name)) return 0;
	if (Array.isArray(value)) return value.map((one) => withoutRandom(one, service, name));
	if (typeof value !== 'object' || value === null) return value;
	return Object.fromEntries(
		Object.entries(value).map(([key, one]) => [key, withoutRandom(one, service, key)]),
	);
}
