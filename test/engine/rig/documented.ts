import type { IDataObject, INode, INodeExecutionData, INodeParameters } from 'n8n-workflow';

import { startService, type Service } from '../../service/service';
import { agent, assistant, chat, job, models, secretsWithLedger } from './calls';
import { useModel } from './chatModel';
import { converse } from './converse';
import { startDataTables, type DataTables } from './dataTables';
import { activated, executed } from './poll';
import { made, run, type Outcome, type RunOptions } from './run';

/** Outputs for the documentation, each by its title: the node, and the operation or event. */
export type Outputs = Record<string, IDataObject>;

type Run = (options: RunOptions) => Promise<Pick<Outcome, 'items' | 'error'>>;

interface Services {
	service: Service;
	n8n: DataTables;
	/** Runs a node. */
	runNode: Run;
}

const byId = (value: string) => ({ __rl: true, mode: 'id', value });
const picture = {
	mediaType: 'images',
	model: byId('canvas/sketch-1'),
	prompt: 'A lighthouse in the fog, watercolor',
	// counts in a tool only
	allowAgents: true,
};

/** Calls every operation once, against the reference service with its scripted answers. Later ones use what earlier ones made. */
export async function documentedOutputs(runNode: Run = run): Promise<Outputs> {
	const service = await startService({ personas: true });
	const n8n = await startDataTables();
	service.forms.jobSteps = 0;
	try {
		const services = { service, n8n, runNode };
		const outputs = {
			...(await answers(services)),
			...(await catalogOutputs(services)),
			...(await mediaOutputs(services)),
			...(await ledgerOutputs(services)),
			...(await triggerOutputs(services)),
			...(await budgetOutputs(services)),
			...(await chatModelOutput(services)),
			...(await conversationOutput(services)),
		};
		return withoutRandom(outputs, service) as Outputs;
	} finally {
		await service.stop();
		await n8n.stop();
	}
}

type Call = ReturnType<typeof job>;

/** @throws what the node reports, so that no example shows a failure. */
async function first({ service, n8n, runNode }: Services, call: Call): Promise<IDataObject> {
	const { items, error } = await runNode({ ...call, secrets: secretsWithLedger(service, n8n) });
	if (error) throw error;
	return shown(items[0]);
}

/** What n8n shows of an item: of a file its facts, for its content has a tab of its own. */
function shown(item: INodeExecutionData | undefined): IDataObject {
	const { json = {}, binary } = item ?? {};
	return binary ? { ...json, '(files)': Object.keys(binary) } : json;
}

const ledger = (operation: string, parameters: INodeParameters): Call => ({
	node: 'modelRouter',
	credential: 'modelRouterApi',
	parameters: { resource: 'ledger', operation, ...parameters },
});

async function answers(services: Services): Promise<Outputs> {
	return {
		'Workspace Agent: Send': await first(
			services,
			agent({ message: 'On which day can you release Lighthouse?', sessionMode: 'new' }),
		),
		'Market Assistant: Ask Guided Question': await first(
			services,
			assistant('askGuided', { capability: 'marketData', token: 'ETH', streamAnswer: true }),
		),
		'Market Assistant: Ask': await first(
			services,
			assistant('askStreaming', { question: 'How is the sentiment for ETH?' }),
		),
		'Model Router: Text: Message a Model': await first(
			services,
			chat('', { inputType: 'prompt', prompt: 'What is a model router?' }),
		),
		'Model Router: Text: Estimate Cost': await first(services, {
			...chat('', { inputType: 'prompt', prompt: 'What is a model router?' }),
			parameters: {
				...chat('').parameters,
				...{ operation: 'estimateCost', inputType: 'prompt', prompt: 'What is a model router?' },
			},
		}),
	};
}

async function catalogOutputs(services: Services): Promise<Outputs> {
	return {
		'Model Router: Model: Get': await first(
			services,
			models('get', { model: byId('northwind/quill-2.5') }),
		),
		'Model Router: Model: Get Many': await first(services, models('getMany', {})),
	};
}

async function mediaOutputs(services: Services): Promise<Outputs> {
	services.service.forms.jobSteps = 2;
	const started = await first(services, job('start', picture));
	const ofJob = { mediaType: 'images', jobId: String(started['jobId']) };
	return {
		'Model Router: Media: Start Job': started,
		'Model Router: Media: Get Job': await first(services, job('get', ofJob)),
		'Model Router: Media: Wait for Job': await waited(services, job('wait', ofJob)),
		'Model Router: Media: Download File': await first(services, job('download', ofJob)),
		'Model Router: Media: Generate': await first(services, job('generate', picture)),
		'Model Router: Media: Track Existing Job': await first(services, job('track', ofJob)),
	};
}

async function waited(services: Services, call: Call): Promise<IDataObject> {
	services.service.forms.jobSteps = 0;
	return await first(services, call);
}

/** A start whose answer is lost: what happened to it is not known. */
async function startUnknown(
	{ service, n8n, runNode }: Services,
	idempotencyKey: string,
): Promise<void> {
	service.fault({
		match: { method: 'POST' },
		times: 1,
		do: { type: 'status', status: 500, body: { message: 'internal error' } },
	});
	await runNode({
		...job('start', { ...picture, useLedger: true, idempotencyKey }),
		secrets: secretsWithLedger(service, n8n),
	});
}

async function ledgerOutputs(services: Services): Promise<Outputs> {
	await startUnknown(services, 'order-7');
	await startUnknown(services, 'order-8');
	await first(services, job('start', { ...picture, useLedger: true, idempotencyKey: 'order-9' }));
	await first(services, job('start', { ...picture, useLedger: true }));
	const old = services.n8n.rows.at(-1);
	Object.assign(old ?? {}, { id: 1000, state: 'delivered', startedAt: 1 });
	return {
		'Model Router: Job Ledger: Delete Many': await first(services, ledger('deleteMany', {})),
		'Model Router: Job Ledger: Get Many': await first(services, ledger('getMany', {})),
		'Model Router: Job Ledger: Mark as Started': await first(
			services,
			ledger('markStarted', { idempotencyKey: 'order-7', jobId: 'job-7' }),
		),
		'Model Router: Job Ledger: Mark as Not Started': await first(
			services,
			ledger('markNotStarted', { idempotencyKey: 'order-8' }),
		),
	};
}

/** What a trigger delivers in one poll and the execution that it starts. */
async function delivered({ service, n8n }: Services): Promise<IDataObject[]> {
	const options = {
		parameters: {},
		secrets: secretsWithLedger(service, n8n),
		workflowId: 'workflow-1',
	};
	const { poll } = activated(options);
	passAnHour(n8n);
	const { items, error } = await poll();
	if (error) throw error;
	return (await executed({ ...options, items: items ?? [] })).items.map(shown);
}

/** For the ledger, everything was an hour earlier. */
function passAnHour({ rows }: DataTables): void {
	for (const row of rows)
		for (const column of ['leaseUntil', 'checkAt', 'startedAt'])
			if (Number(row[column])) row[column] = Number(row[column]) - 3_600_000;
}

async function triggerOutputs(services: Services): Promise<Outputs> {
	services.n8n.rows.length = 0;
	await first(services, job('start', { ...picture, useLedger: true }));
	const [completed] = await delivered(services);
	const again = await first(
		services,
		ledger('deliverAgain', { jobId: String(completed?.['jobId']) }),
	);
	const [delivery] = await delivered(services);
	const confirmed = await first(
		services,
		ledger('confirmDelivery', { jobId: String(delivery?.['jobId']) }),
	);
	await first(services, job('start', { ...picture, prompt: '[[fail]]', useLedger: true }));
	const [failed] = await delivered(services);
	return {
		'Model Router: Job Ledger: Deliver Again': again,
		'Model Router: Job Ledger: Confirm Delivery': confirmed,
		'Model Router Trigger: Media Job Completed': completed ?? {},
		'Model Router Trigger: Media Job Failed': failed ?? {},
	};
}

async function chatModelOutput({ service, n8n }: Services): Promise<Outputs> {
	const { calls, error } = await useModel({
		secrets: secretsWithLedger(service, n8n),
		use: async (model) => await model.invoke('What is a model router?'),
	});
	if (error) throw error;
	return { 'Model Router Chat Model: Call': calls[0]?.output ?? {} };
}

async function conversationOutput({ service, n8n }: Services): Promise<Outputs> {
	const speaker = (name: string): INode => ({
		...made(name, 'n8n-nodes-agent-bridge.workspaceAgentTool'),
		credentials: { workspaceAgentApi: { id: 'workspaceAgentApi', name: 'workspaceAgentApi' } },
	});
	const { json, error } = await converse({
		parameters: { turnLimit: 2 },
		speakers: { Planner: speaker('Planner'), Tester: speaker('Tester') },
		secrets: secretsWithLedger(service, n8n),
		items: [{ chatInput: 'Please agree on a day for the release of Lighthouse.' }],
	});
	if (error) throw error;
	return { 'Agent Conversation': json };
}

/** A budget of which a job has reserved a part. */
async function budgetOutputs(services: Services): Promise<Outputs> {
	const withBudget: Run = async ({ secrets, ...options }) => {
		const { modelRouterApi } = secrets;
		const budget = { budgetUsd: '50', workflowsMayResume: true };
		const data = { ...secrets, modelRouterApi: { ...modelRouterApi, ...budget } };
		return await services.runNode({ ...options, secrets: data });
	};
	const ofBudget = { ...services, runNode: withBudget };
	const call = (operation: string, parameters: INodeParameters = {}): Call => ({
		...{ node: 'modelRouter', credential: 'modelRouterApi' },
		parameters: { resource: 'budget', operation, ...parameters },
	});
	services.service.forms.jobSteps = 2;
	const { jobId } = await first(ofBudget, job('start', picture));
	const got = await first(ofBudget, call('get'));
	return {
		'Model Router: Budget: Get': got,
		'Model Router: Budget: Pause': await first(
			ofBudget,
			call('pause', { reason: 'An agent loops' }),
		),
		'Model Router: Budget: Resume': await first(ofBudget, call('resume')),
		'Model Router: Budget: Release': await first(
			ofBudget,
			call('release', { lumpId: `job:images:${String(jobId)}` }),
		),
	};
}

const UUID = /[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}/g;
const TIME = /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z/g;

/** The same with constants in place of IDs, times and ports that differ in every run. */
function withoutRandom(value: unknown, service: Service, name = ''): unknown {
	if (typeof value === 'string')
		return value
			.replaceAll(service.url, 'https://router.example.com')
			.replace(UUID, '6f1c2b1e-8d3a-4c0e-9a55-0d2f6b7c8e90')
			.replace(/^ledgertable\d+$/, 'AbC123dEf456gHi7')
			.replace(TIME, '2026-01-15T09:30:00.000Z');
	if (typeof value === 'number' && /(At|Ms|created)$/.test(name)) return 0;
	if (Array.isArray(value)) return value.map((one) => withoutRandom(one, service, name));
	if (typeof value !== 'object' || value === null) return value;
	return Object.fromEntries(
		Object.entries(value).map(([key, one]) => [key, withoutRandom(one, service, key)]),
	);
}
