import type { IRun } from 'n8n-workflow';

import { CARRY_ON, chat, failPosts, job, models, PICTURE, secretsOf } from './rig/calls';
import { MODEL, useModel } from './rig/chatModel';
import { converse } from './rig/converse';
import { ours } from './rig/flow';
import { run } from './rig/run';
import { serviceForTests } from './rig/service';

// what n8n's traces show of a node: the attributes are stored with its run
const service = serviceForTests();
const tracingOf = ({ data }: IRun, name = 'Node') =>
	data.resultData.runData[name]?.at(-1)?.metadata?.tracing;
const secrets = () => secretsOf(service);

it('sums over the items of a text model', async () => {
	const { run: ran, items } = await run({ ...chat('Hi'), secrets: secrets(), items: [{}, {}] });
	const [first, second] = items.map(({ json }) => json);
	expect(tracingOf(ran)).toEqual({
		'gen_ai.request.model': 'northwind/quill-2.5',
		'gen_ai.usage.input_tokens': expect.any(Number),
		'gen_ai.usage.output_tokens': expect.any(Number),
		'cost.usd': Number((Number(first?.['costUsd']) + Number(second?.['costUsd'])).toFixed(9)),
		'request.ids': `${String(first?.['requestId'])}, ${String(second?.['requestId'])}`,
		outcome: 'started',
	});
});

it.each([
	['ends the node', {}],
	['is an item', CARRY_ON],
])('tells of an unknown outcome that %s', async (_what, settings) => {
	failPosts(service, { type: 'status', status: 500 });
	const { run: ran } = await run({ ...chat('Hi'), secrets: secrets(), settings });
	expect(tracingOf(ran)).toMatchObject({ outcome: 'unknown' });
	expect(tracingOf(ran)).not.toHaveProperty(['cost.usd']);
});

it('has the cost of a job, and no key that the service echoes', async () => {
	const key = service.router.keys.main;
	failPosts(service, { type: 'headers', headers: { 'x-request-id': `of ${key}` } });
	service.forms.jobSteps = 0;
	const { run: ran } = await run({ ...job('generate', PICTURE), secrets: secrets() });
	expect(tracingOf(ran)).toMatchObject({ 'cost.usd': 0.04, outcome: 'started' });
	expect(JSON.stringify(tracingOf(ran))).not.toContain(key);
});

it('says nothing of what is free', async () => {
	const { run: ran } = await run({ ...models('getModels', {}), secrets: secrets() });
	expect(tracingOf(ran)).toBeUndefined();
});

it('has each call of a chat model, in the run of its node', async () => {
	const { run: ran, calls } = await useModel({
		secrets: secrets(),
		async use(chatModel) {
			await chatModel.invoke('Hi');
			failPosts(service, { type: 'status', status: 500 });
			await chatModel.invoke('Ho').catch(() => undefined);
		},
	});
	const [called, failed] = (ran.data.resultData.runData[MODEL] ?? []).map(
		({ metadata }) => metadata?.tracing,
	);
	expect(called).toMatchObject({
		'gen_ai.usage.input_tokens': expect.any(Number),
		'cost.usd': calls[0]?.output?.['costUsd'],
		'request.ids': calls[0]?.output?.['requestId'],
		outcome: 'started',
	});
	expect(failed).toMatchObject({ outcome: 'unknown' });
});

it('has the conversation, its turns and why it ended', async () => {
	const speaker = (name: string) =>
		ours(name, 'workspaceAgentTool', { credential: 'workspaceAgentApi' });
	const { run: ran, json } = await converse({
		parameters: { turnLimit: 3 },
		speakers: { Ada: speaker('Ada'), Bob: speaker('Bob') },
		secrets: secrets(),
	});
	expect(tracingOf(ran, 'Conversation')).toEqual({
		'gen_ai.conversation.id': json['conversationId'],
		'conversation.turns': 3,
		'conversation.ended': 'turnLimit',
	});
});
