import type { IDataObject, INodeParameters } from 'n8n-workflow';

import { schemaFile } from '../../../scripts/docs/schemas';
import { type EntryState, toRow } from '../../../src/ledger/entry';
import { rowOf } from '../../service/modelServices/rows';
import { standIn } from '../../service/modelServices/stand';
import { agentServers } from '../../service/agentServers';
import { startService, type Fault, type FaultRule } from '../../service/service';
import {
	CARRY_ON,
	LOST,
	agent,
	assistant,
	budget,
	chat,
	failPosts,
	job,
	ledger,
	model as byId,
	models,
	response,
	secretsWithLedger,
	spending,
	withAccount,
	refusedRequest,
} from './calls';
import { converse, type ConverseOptions } from './converse';
import { startDataTables } from './dataTables';
import { documentedOutputs, type Outputs } from './documented';
import { ours } from './flow';
import { run, type RunOptions } from './run';

type Call = Omit<RunOptions, 'secrets'>;

const partial = { onIncomplete: 'partial', includeRawEvents: true };
const tools = { tool: [{ name: 'look_up', parameters: '{"type":"object"}' }] };
const twoAnswers = { additionalFields: '{"n":2}' };
const picture = { mediaType: 'images', model: byId('canvas/sketch-1'), prompt: 'A lighthouse' };
const keyed = { ...picture, useLedger: true, uniqueKey: 'order 1', triggerGroup: 'Ann' };
const failing = { ...picture, prompt: '[[fail]]' };

/** What the examples in the documentation do not have. */
const FURTHER: Call[] = [
	agent({ message: 'Hello', sessionMode: 'key', sessionKey: 'order 7', options: partial }),
	assistant('askStreaming', { question: 'Hello', chatMode: 'key', chatKey: 'order 7' }),
	assistant('ask', { question: 'Hello' }),
	chat('[[say:{"day":"Tuesday"}]][[thinks:5]][[cached:2]]', { responseFormat: 'json_object' }),
	chat('[[say:I look it up]][[tool:look_up]]', { options: { tools } }),
	response('[[tool:look_up]]', { options: { tools } }),
	chat('[[tool:look_up]]', { options: { tools, ...twoAnswers } }),
	chat('Hello', { responseFormat: 'json_object', options: twoAnswers }),
	chat('[[refusal]]'),
	response('Hello'),
	chat('Hello', { operation: 'estimateCost', model: byId('nobody/nothing-1') }),
	models('getModel', { model: byId('canvas/sketch-1') }),
	job('generate', keyed),
	job('generate', keyed),
	job('generate', failing),
];

/** A row of the job ledger in which every column has a value. */
const fullRow = (id: number, state: EntryState) => ({
	id,
	...toRow({
		state,
		uniqueKey: `order ${id}`,
		mediaType: 'images',
		jobId: `job-${id}`,
		triggerGroup: 'Ann',
		model: 'canvas/sketch-1',
		credentialId: 'modelRouterApi',
		outcome: 'completed',
		failures: 1,
		leaseUntil: Date.now() + 1,
		checkAt: 1,
		startedAt: 1,
		requestId: 'req-1',
		deliveries: 2,
		executionId: '7',
		note: 'Sent by hand',
		record: '{"id":"job-1"}',
		claim: 'a',
		proposal: '',
	}),
});

/** Operations of the job ledger, each with the state of the entry that it changes. */
const CHANGES: Array<[string, EntryState]> = [
	['getEntries', 'pending'],
	['deliverAgain', 'delivered'],
	['confirmDelivery', 'unconfirmed'],
	['markStarted', 'unknown'],
	['markNotStarted', 'unknown'],
];

/** Answers of a text that break off, and are items nevertheless. */
const BROKEN: Call[] = [
	agent({ message: '[[words:40]]', options: partial }),
	assistant('askStreaming', { question: '[[words:40]]', options: partial }),
	chat('[[words:40]]', { options: { onIncomplete: 'partial' } }),
];
const BROKEN_OFF: Fault = { type: 'stream_error', after: 3 };
const REFUSED: Fault = {
	type: 'status',
	status: 401,
	body: { error: { code: 'invalid_key', message: 'The key is not valid', meta: {} } },
	headers: { 'x-request-id': 'req-1' },
};

/** Items by the file of their schema. */
export type Recorded = Record<string, IDataObject[]>;

/**
 * Records the items that the operations output: in the examples of the documentation, with other options, when an answer breaks off, and
 * when something fails.
 */
export async function recordOutputs(): Promise<{ outputs: Outputs; recorded: Recorded }> {
	const recorded: Recorded = {};
	const broken = await startService();
	const add = (node: string, parameters: INodeParameters, items: Array<{ json: IDataObject }>) =>
		(recorded[schemaFile(node, parameters)] ??= []).push(...items.map(({ json }) => json));
	const record = async (options: RunOptions) => {
		const outcome = await run(options);
		add(options.node, options.parameters, [...outcome.items, ...outcome.failed]);
		return outcome;
	};
	/** Where something fails. */
	const fail = async (options: RunOptions, fault: Pick<FaultRule, 'match' | 'do'>) => {
		broken.reset();
		broken.fault({ ...fault, times: Infinity });
		const secrets = Object.entries(options.secrets).map(([name, fields]) => {
			const address = (field: string, url: string) =>
				field in fields && { [field]: String(fields[field]).replace(/^http:..[^/]+/, url) };
			// two origins, as the service and n8n have them
			const n8n = broken.url.replace('127.0.0.1', 'localhost');
			return [
				name,
				{ ...fields, ...address('baseUrl', broken.url), ...address('n8nUrl', n8n) },
			] as const;
		});
		await record({ ...options, secrets: Object.fromEntries(secrets), settings: CARRY_ON });
	};
	const service = await startService();
	const painter = await standIn(rowOf('OpenRouter'));
	const n8n = await startDataTables();
	const elsewhere = await agentServers();
	const secrets = secretsWithLedger(service, n8n);
	try {
		const outputs = await documentedOutputs(async (options) => {
			const isFirst = !recorded[schemaFile(options.node, options.parameters)];
			const outcome = await record(options);
			if (isFirst) {
				await fail(options, { match: {}, do: REFUSED });
				await fail(options, { match: { method: 'POST' }, do: { type: 'status', status: 500 } });
			}
			return outcome;
		});
		const given = { secrets, settings: CARRY_ON };
		for (const call of FURTHER) await record({ ...call, ...given });
		const ownPrices = 'northwind/quill-2.5 1 2';
		const byLine = { ...given, secrets: withAccount(secrets, { ownPrices }) };
		await record({ ...chat('Hello'), ...byLine });
		await record({ ...chat('Hello', { operation: 'estimateCost' }), ...byLine });
		const { baseUrl, key: apiKey, row } = painter;
		for (const prompt of ['[[picture]]', '[[junk]]'])
			await record({
				...chat(prompt, { model: byId(row.answering[0]) }),
				...given,
				secrets: withAccount(secrets, { baseUrl, apiKey, keyIn: 'bearer' }),
			});
		// a start of unknown outcome, whose part is released with all others
		const account = withAccount(secrets, {
			budgetUsd: '50',
			workflowsMayResume: true,
			workflowsMayRaiseBy: '5',
		});
		const withBudget = { ...given, secrets: account };
		failPosts(service, LOST, 1);
		await record({ ...job('start', picture), ...withBudget });
		await record({ ...budget('getBudget'), ...withBudget });
		await record({ ...budget('release', { findBy: 'age', hours: 0 }), ...withBudget });
		const poor = withAccount(secrets, { budgetUsd: '0.000001' });
		for (const call of [chat('Hello'), job('start', picture), job('generate', picture)])
			await record({ ...call, ...given, secrets: poor });
		const request = refusedRequest();
		await record({ ...budget('raise', { request, amount: 5, reason: 'Ada' }), ...withBudget });
		await record({ ...budget('pause', { reason: 'An agent loops' }), ...withBudget });
		await record({ ...budget('getBudget'), ...withBudget });
		service.forms.agent = 'ag-ui';
		await record({ ...agent({ message: 'Hello' }), ...given });
		service.forms.agent = 'sse-json';
		const another = { secrets: { ...secrets, agentServerApi: elsewhere.credential('a2a') } };
		for (const more of [{ message: '[ask]' }, { message: '[cut]', options: partial }])
			await record({
				...agent({ agentOf: 'server', ...more }),
				...given,
				...another,
				...BY_SERVER,
			});
		const graph = { secrets: { ...secrets, agentServerApi: elsewhere.credential('langGraph') } };
		const planner = byId('3f0b0000-0000-4000-8000-000000000000');
		await record({
			...agent({ message: '[tools]', agentOf: 'server', agent: planner }),
			...given,
			...graph,
			...BY_SERVER,
		});
		await record({
			...agent({ message: 'Hello', agentOf: 'server' }),
			...given,
			...BY_SERVER,
			secrets: { ...secrets, agentServerApi: elsewhere.credential('agUi') },
		});
		service.forms.jobSteps = 0;
		for (const parameters of [picture, failing]) {
			const { items } = await record({ ...job('start', parameters), ...given });
			const ofJob = { mediaType: 'images', jobId: String(items[0]?.json['jobId']) };
			for (const operation of ['getJob', 'wait'])
				await record({ ...job(operation, ofJob), ...given });
		}
		let executions = 1;
		// what an execution by hand is given again
		for (const operation of ['generate', 'generate', 'start', 'start']) {
			const { items, run: whole } = await record({
				...job(operation, picture),
				...given,
				mode: 'manual',
				executionId: `execution-${++executions}`,
			});
			const ofJob = { mediaType: 'images', jobId: String(items[0]?.json['jobId']) };
			await record({ ...job('wait', ofJob), ...given, data: whole.data });
		}
		n8n.reset();
		for (const [index, [operation, state]] of CHANGES.entries()) {
			n8n.rows.push(fullRow(index + 1, state));
			const { id, jobId } = n8n.rows.at(-1)!;
			const which = { findBy: 'entryId', entryId: id, jobId };
			await record({ ...ledger(operation, which as INodeParameters), ...given });
		}
		const groupBy = ['day', 'month', 'workflow', 'node', 'model', 'label'];
		const report = { ...spending('getSpending', { groupBy }), settings: CARRY_ON };
		for (const costUsd of [0, 0.05]) {
			await record({ ...report, secrets: withAccount(secrets, { recordSpending: true }) });
			// the first use makes the table
			const row = {
				workflowId: 'w',
				workflow: 'W',
				nodeId: 'n',
				node: 'N',
				model: 'm',
				label: 'Ada',
				costUsd,
			};
			n8n.spending.push({ ...row, id: 1, day: new Date().toISOString().slice(0, 10) });
			n8n.spending.push({ ...row, id: 2, day: '2026-01' });
		}
		const part = { groupBy, from: '2026-01-10', to: '2026-01-20' };
		const secretsOfRecord = withAccount(secrets, { recordSpending: true });
		await record({ ...spending('getSpending', part), secrets: secretsOfRecord });
		service.fault({ match: {}, do: { type: 'headers', headers: { 'x-request-id': 'req-1' } } });
		for (const call of BROKEN) await record({ ...call, ...given });
		service.reset();
		failPosts(service, BROKEN_OFF);
		for (const call of BROKEN)
			for (const options of [{}, call.parameters['options'] ?? {}])
				await record({
					...call,
					...given,
					parameters: { ...call.parameters, options },
				});
		service.reset();
		for (const options of CONVERSATIONS)
			add('agentConversation', {}, (await converse({ ...options, ...another })).items);
		return { outputs, recorded };
	} finally {
		await service.stop();
		await painter.stop();
		await elsewhere.stop();
		await n8n.stop();
		await broken.stop();
	}
}

const speakers: ConverseOptions['speakers'] = {
	Agent: ours('Agent', 'workspaceAgentTool', { credential: 'workspaceAgentApi' }),
	Assistant: ours('Assistant', 'marketAssistantTool', { credential: 'marketAssistantApi' }),
	Model: ours('Model', 'modelRouterTool', {
		credential: 'modelRouterApi',
		parameters: { model: byId('northwind/quill-2.5') },
	}),
};
const approved = { turn: 1, speaker: 'Agent', text: 'Tuesday', approvedBy: 'Ann', note: 'Late' };

const BY_SERVER = { credential: 'agentServerApi' };
const ELSEWHERE = ours('Elsewhere', 'workspaceAgentTool', {
	...BY_SERVER,
	parameters: { agentOf: 'server' },
});

const CONVERSATIONS: ConverseOptions[] = [
	{ speakers, parameters: { turnLimit: 3 } },
	{ speakers: { Elsewhere: ELSEWHERE, ...speakers }, parameters: { turnLimit: 2 } },
	{ speakers: { Elsewhere: ELSEWHERE, ...speakers }, items: [{ chatInput: '[auth]' }] },
	...['{"answer":"Tuesday"}', 'no JSON'].map((content) => ({
		speakers,
		moderator: [content, content],
		parameters: { turnLimit: 2, options: { resultSchema: '{"type":"object"}' } },
	})),
	...['conversation', 'turns'].map((outputMode) => ({
		speakers,
		parameters: {
			turnLimit: 2,
			outputMode,
			options: { transcript: JSON.stringify([approved]) },
		},
	})),
	...['fail', 'end'].map((onFailure) => ({
		settings: { onError: 'continueRegularOutput' } as const,
		speakers: { ...speakers, Down: () => ({ error: 'The service is down', details: {} }) },
		parameters: {
			turnLimit: 5,
			options: { onFailure, transcript: JSON.stringify([approved]) },
		},
	})),
];
