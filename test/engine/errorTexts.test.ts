import type { INodeParameters } from 'n8n-workflow';

import { RUNBOOK } from '../../src/n8n/documentation';
import { contraryForTests, type Said } from './contrary';
import {
	agent,
	assistant,
	budget,
	CARRY_ON,
	chat,
	job,
	model,
	models,
	type Paying,
	response,
} from './rig/calls';
import { useModel } from './rig/chatModel';
import { run } from './rig/run';

// what the editor shows of an error: its title says what happened, the description what to do
const service = contraryForTests();

const RUN = `See the <a href="${RUNBOOK}" target="_blank">runbook</a>.`;
const UNKNOWN = 'Outcome: unknown; it may have been carried out, and may be charged.';
const NOT_STARTED = 'Outcome: nothing was started, nothing is charged.';
const CHECK = (what: string) =>
	`It is not known whether the service received the ${what}; it may be carried out and charged. Check before sending it again.`;
const CHECK_404 =
	'Check what the node asks for, such as the model or an ID, and the base URL of the credential.';

const said = (status: number, body: unknown, type = 'application/json'): Said => ({
	...{ status, type },
	body: typeof body === 'string' ? body : JSON.stringify(body),
});
const PROVIDER = { error: { code: 502, message: 'Provider returned error' } };
const REPORTED = 'The service reported an error: Provider returned error';
const NO_MODEL = { error: { message: 'The model does not exist' } };

const unpriced = { options: { allowUnknownCost: true } };
const sketch = { mediaType: 'images', model: model('canvas/sketch-1'), prompt: 'x' };
const quil = { model: model('northwind/quil-2.5') };
const MEANT =
	'The catalog does not have the model northwind/quil-2.5. Did you mean northwind/quill-2.5?';
const CORRECT = 'Choose a model from the list, or correct its ID.';
const ALLOW = `Nothing was sent. ${CORRECT} Only if you are sure that the service has it, turn on "Allow Unknown Cost" in Options.`;

const SESSION = '6e2b41a3-2f4e-4d5c-9f57-0b8f0f5c1a2b';
const AGENT = agent({ message: 'x', sessionMode: 'id', sessionId: SESSION });

/** Ended by its mark, so that only the error is told. */
const streamed = `data: ${JSON.stringify(PROVIDER)}\n\ndata: [DONE]\n\n`;
const CHARGED =
	'What arrived may be charged. Look at it, in "partial", before you ask again: that is charged again.';
const RECEIVED = 'Outcome: the service received it; what it did may be charged.';

interface Row {
	call: Paying;
	/** What a POST gets, and what else is asked for, unless it is the catalog. */
	answer?: Said;
	title: string;
	description: string[];
}

const of200 = (what: string) => [CHECK(what), 'Code: 502.', UNKNOWN, 'No text had arrived.', RUN];
const REPORTS: Array<[string, Row]> = [
	[
		'200 with an error, in place of a text',
		{
			call: chat('x'),
			answer: said(200, PROVIDER),
			title: REPORTED,
			description: of200('chat request'),
		},
	],
	[
		'200 with an error, in place of a response',
		{
			call: response('x'),
			answer: said(200, PROVIDER),
			title: REPORTED,
			description: of200('request for a response'),
		},
	],
	[
		'200 with an error, as a stream',
		{
			call: chat('x'),
			answer: said(200, streamed, 'text/event-stream'),
			title: REPORTED,
			description: [CHARGED, 'Code: 502.', RECEIVED, 'No text had arrived.'],
		},
	],
	[
		'200 with an error, in place of a job',
		{
			call: job('start', sketch),
			answer: said(200, PROVIDER),
			title: REPORTED,
			description: [CHECK('job start'), 'Code: 502.', UNKNOWN, RUN],
		},
	],
	[
		'200 with an error, in place of an answer of the assistant',
		{
			call: assistant('ask', { question: 'x' }),
			answer: said(200, { error: 'Out of credits' }),
			title: 'The service reported an error: Out of credits',
			description: [CHECK('question'), UNKNOWN, 'No text had arrived.', RUN],
		},
	],
	[
		'200 with an error, in place of an answer of an agent',
		{
			call: AGENT,
			answer: said(200, { error: 'Out of credits' }),
			title: `The service reported an error: Out of credits (sessionId: ${SESSION})`,
			description: [CHARGED, RECEIVED, 'No text had arrived.'],
		},
	],
];

const KEY_REFUSED = 'The service refused the API key (401)';
const copyKey = (credential: string) =>
	`Copy the API key into the credential "${credential}" again: each workspace and each interface has its own key.`;
const refusesKey = (call: Paying): Row => ({
	...{ call, answer: said(401, {}), title: KEY_REFUSED },
	description: ['The service says: {}.', copyKey(call.credential), NOT_STARTED, RUN],
});
const REFUSALS: Array<[string, Row]> = [
	[
		'a key that an agent refuses',
		{ ...refusesKey(AGENT), title: `${KEY_REFUSED} (sessionId: ${SESSION})` },
	],
	['a key that the assistant refuses', refusesKey(assistant('ask', { question: 'x' }))],
	['a key that a text model refuses', refusesKey(chat('x'))],
	[
		'a text model that the service does not know',
		{
			call: chat('x'),
			answer: said(404, NO_MODEL),
			title: 'The service has nothing at this address or with this ID (404)',
			description: ['The service says: The model does not exist.', CHECK_404, NOT_STARTED],
		},
	],
	[
		'a text model that neither service nor catalog knows',
		{
			call: chat('x', { ...quil, ...unpriced }),
			answer: said(404, NO_MODEL),
			title: 'The service has nothing at this address or with this ID (404)',
			description: [
				'The service says: The model does not exist.',
				`${MEANT} ${CORRECT}`,
				NOT_STARTED,
			],
		},
	],
	[
		'a job that the service does not know',
		{
			call: job('getJob', { mediaType: 'images', jobId: 'j' }),
			answer: said(404, { message: 'no such job' }),
			title: 'The service has nothing at this address or with this ID (404) (jobId: j)',
			description: [
				'The service says: no such job.',
				'Check the job ID, the media type of the job, and the base URL of the credential.',
			],
		},
	],
];

const attached = (name: string): INodeParameters => ({
	attachments: { attachment: [{ source: 'binary', binaryProperty: name, modality: 'auto' }] },
});
const BASE64 = 'iVBORw0KGgo'.repeat(100_000);
const AS_NAME = `Attachments 1: the input item has no file in "${BASE64.slice(0, 80)}…"`;
const MISTAKES: Array<[string, Row]> = [
	['a text model with a typo', { call: chat('x', quil), title: MEANT, description: [ALLOW] }],
	[
		'an image model with a typo',
		{
			call: job('start', { ...sketch, model: model('Canvas/Sketch') }),
			title: 'The catalog does not have the model Canvas/Sketch. Did you mean canvas/sketch-1?',
			description: [ALLOW],
		},
	],
	[
		'a model without its vendor, and of nothing near',
		{
			call: chat('x', { model: model('northwind/opal-9') }),
			title: 'The catalog does not have the model northwind/opal-9',
			description: [ALLOW],
		},
	],
	[
		'a model to get, with a typo',
		{
			call: models('getModel', quil),
			answer: said(404, NO_MODEL),
			title: MEANT,
			description: ['The service says: The model does not exist.', CORRECT],
		},
	],
	[
		'a file as Base64 in place of a name',
		{
			call: chat('x', attached('={{ $json.image }}')),
			title: AS_NAME,
			description: [
				'This looks like a file itself, and not like the name of a field with a file. Put n8n\'s node "Convert to File" (Move Base64 String to File) before this one, and enter the name of its output field. Or choose Address (URL), and enter data:image/png;base64, followed by the Base64.',
			],
		},
	],
	[
		'a name that the item does not have',
		{
			call: chat('x', attached('picture')),
			title: 'Attachments 1: the input item has no file in "picture"',
			description: ['It has no files at all.'],
		},
	],
];

it.each([...REPORTS, ...REFUSALS, ...MISTAKES])('%s', async (_what, row) => {
	const { call, answer, title, description } = row;
	service.answer(({ url = '' }) => (url === '/v1/models' ? undefined : answer));
	const items = [{ image: BASE64 }];
	const { error } = await run({ ...call, items, secrets: service.secrets });
	expect([error?.message, ...(error?.description?.split('\n') ?? [])]).toEqual([
		title,
		...description,
	]);
	// what is stored with the execution
	expect(JSON.stringify([error, error?.stack]).length).toBeLessThan(10_000);
});

it('the key of the job ledger is named with its credential, too', async () => {
	service.answer(({ url = '' }) => (url.includes('/data-tables') ? said(401, {}) : undefined));
	const { modelRouterApi } = service.secrets;
	const n8nUrl = new URL(String(modelRouterApi!['baseUrl']));
	n8nUrl.hostname = 'localhost';
	const ledger = {
		useJobLedger: true,
		n8nUrl: n8nUrl.origin,
		n8nApiKey: ['key-of', 'n8n-12345'].join('-'),
	};
	const table = { ledgerTable: 'Job Ledger', budgetUsd: '1', budgetPeriod: 'month' };
	const secrets = { modelRouterApi: { ...modelRouterApi, ...ledger, ...table } };
	const { failed } = await run({ ...budget('getBudget'), secrets, settings: CARRY_ON });
	expect(failed[0]?.json['error']).toBe(
		'The job ledger could not be used: n8n refused the API key (401). Copy the n8n API key again into the "modelRouterApi" credential.',
	);
});

it('of a model list, the nearest one is named for each', async () => {
	service.answer(() => undefined);
	const lists = { list: [{ name: 'l', models: 'northwind/quil-2.5', order: 'asListed' }] };
	const secrets = { modelRouterApi: { ...service.secrets['modelRouterApi'], modelLists: lists } };
	const listed = { model: { __rl: true, mode: 'modelList', value: 'l' } };
	const { error } = await run({ ...chat('x', listed), secrets: secrets as never });
	expect([error?.message, error?.description]).toEqual([
		'No model of the list "l" can take this request',
		`Nothing was sent. northwind/quil-2.5: t${MEANT.slice(1)}`,
	]);
});

it.each([
	['modelRouterApi', '/v1/chat/completions', '/v1/chat/completions'],
	['modelRouterApi', '/v1/models/', '/v1/models'],
	['marketAssistantApi', '/invoke_assistant', '/v1/invoke_assistant'],
	['workspaceAgentApi', '/session/s/messages', '/session/s/messages'],
] as const)('a base URL of %s that ends in %s', async (credential, end, named) => {
	const calls = {
		modelRouterApi: chat('x'),
		marketAssistantApi: assistant('ask', { question: 'x' }),
	};
	const call = { workspaceAgentApi: agent({ message: 'x' }), ...calls }[credential];
	const fields = service.secrets[credential]!;
	const secrets = { [credential]: { ...fields, baseUrl: `${String(fields['baseUrl'])}${end}` } };
	const { error } = await run({ ...call, secrets });
	expect([error?.message, error?.description]).toEqual([
		`The base URL ends in ${named}`,
		'Remove that part of it in the credential: the node adds it itself.',
	]);
});

it('a call of a tool that is cut off names the tool', async () => {
	const call = { index: 0, id: 'c', function: { name: 'Clock', arguments: '{"input":"ab' } };
	const events = [{ delta: { tool_calls: [call] } }, { delta: {}, finish_reason: 'tool_calls' }]
		.map((choice) => `data: ${JSON.stringify({ choices: [{ index: 0, ...choice }] })}\n\n`)
		.join('');
	const answer = said(200, `${events}data: [DONE]\n\n`, 'text/event-stream');
	service.answer(({ url }) => (url === '/v1/models' ? undefined : answer));
	const use = async (chatModel: { invoke(asked: string): Promise<unknown> }) =>
		await chatModel.invoke('What time is it?');
	const { error } = await useModel({ secrets: service.secrets, use });
	expect(error?.message).toBe(
		'The model called the tool "Clock" with arguments that are not complete JSON. They may be cut off, so no tool was called. The answer is billed. Outcome: the service received it; what it did may be charged.',
	);
});
