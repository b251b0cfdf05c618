import {
	bridgeOfFile,
	createWithLedger,
	messages,
	model,
	nodesFor,
	picture,
	secretsOf,
} from '../n8n/bridge.ts';
import { conversationFile, retryOnFail, speakersOf } from '../n8n/conversationWorkflow.ts';
import { chatMessage, until } from '../n8n/editor.ts';
import { itemsOf, type Execution, type Item } from '../n8n/execution.ts';
import { TriggerHost } from '../n8n/triggers.ts';
import { workflow, type WorkflowFile } from '../n8n/workflow.ts';
import { tellRow } from '../support/readmeTable.ts';
import { ask, ownAccounts, pictures, talk, video, type OwnAccounts } from './ownNodes.ts';
import { noticeKilledWorkersSoon, startQueue, type Queue } from './queue.ts';

// "Why not n8n's own nodes?" of README: each row measured here, n8n's own nodes beside ours, on two workers

let queue: Queue;
let host: TriggerHost;
/** Answers as in the demo. */
let own: { talking: OwnAccounts; paying: OwnAccounts };
beforeAll(async () => void (queue = await startQueue({ env: noticeKilledWorkersSoon })));
afterAll(async () => {
	await host?.stop();
	await queue?.stop();
});
const bridge = bridgeOfFile({ personas: true }, () => queue.editor);
beforeAll(async () => {
	host = await TriggerHost.startIn(queue.editor);
	own = {
		talking: await ownAccounts(queue.editor, bridge.service),
		paying: await ownAccounts(queue.editor, host.service),
	};
});
beforeEach(() => host.reset());

const run = async (file: WorkflowFile, given?: Record<string, unknown>): Promise<Execution> =>
	await queue.editor.run(await queue.editor.importWorkflow(file), given);
const count = (number: number, thing: string) => `${number} ${thing}${number === 1 ? '' : 's'}`;
const ofRouter = (account = host.account) =>
	nodesFor({ ...bridge.accounts, router: account }).router;
const PROMPT = '={{ $json.prompt }}';

/** The values that somebody has chosen or entered in a node: a switch, a text, an expression. */
const fields = (value: unknown): number => {
	if (typeof value !== 'object' || value === null) return 1;
	const structure = ['id', 'type', 'version', 'typeValidation', 'combinator', '__rl', 'mode'];
	return Object.entries(value)
		.filter(([key]) => !structure.includes(key))
		.reduce((sum, [, each]) => sum + fields(each), 0);
};
const sizeOf = ({ nodes }: WorkflowFile) => {
	const values = nodes.reduce((sum, { parameters }) => sum + fields(parameters), 0);
	return `${count(nodes.length, 'node')}, ${count(values, 'field')}`;
};

it('agents that talk', async () => {
	const question = 'Please agree with your colleague on a day for the release of Lighthouse.';
	const asked = () =>
		['ws-1', 'ws-2'].map(
			(workspace) =>
				bridge.service.requests.filter(({ path }) => path.includes(`/${workspace}/`)).length,
		);
	const { agent, secondAgent } = speakersOf(bridge.accounts);
	const ours = conversationFile({
		opening: question,
		speakers: [agent('Planner'), secondAgent('Tester')],
	});
	const ran = await run(ours);
	expect(itemsOf(ran, 'Conversation')[0]?.json['output']).toMatch(/Friday at 10:00/);
	expect(asked()).toEqual([3, 3]);

	bridge.service.reset();
	bridge.service.forms.agent = 'text';
	const theirs = talk(bridge.service, own.talking);
	const built = await run(theirs, chatMessage(question));
	expect(built.error?.message).toBeUndefined();
	expect(itemsOf(built, 'Answer')[0]?.json['output']).toMatch(/Friday at 10:00/);
	expect(asked()).toEqual([3, 3]);
	tellRow('Two agents talk, with credentials at hand', sizeOf(theirs), sizeOf(ours));
});

it('what an answer costs', async () => {
	const [name, question] = ['northwind/quill-2.5', 'What is a model router?'];
	const { router } = nodesFor(bridge.accounts);
	const options = { maxTokens: 200 };
	const parameters = { model: model(name), ...messages(question), options };
	const estimated = await run(
		workflow('before', [{}], router('Estimate', ['text', 'estimateCost'], parameters)),
	);
	const { result, paid } = await bridge.service.paidFor(
		async () => await run(workflow('ask', [{}], router('Ask', ['text', 'message'], parameters))),
	);
	const { maxCostUsd } = itemsOf(estimated, 'Estimate')[0]?.json ?? {};
	const { costUsd } = itemsOf(result, 'Ask')[0]?.json ?? {};
	expect(costUsd).toBe(paid / 1e6);
	expect(maxCostUsd).toBeGreaterThanOrEqual(Number(costUsd));

	const theirs = await run(ask(own.talking, name, question));
	expect(theirs.error?.message).toBeUndefined();
	const [answer] = itemsOf(theirs, 'Ask');
	expect(JSON.stringify(answer)).toContain('A model router is one address');
	const told = /cost|usd|price|token/i.test(Object.keys(flat(answer?.json)).join(' '));
	tellRow(
		'What an answer costs, before and after it',
		told ? 'shown' : 'not shown',
		`at most $${String(maxCostUsd)}, then $${String(costUsd)}`,
	);
});

/** All names of fields, however deep. */
const flat = (value: unknown): Record<string, unknown> =>
	typeof value === 'object' && value !== null
		? Object.assign({ ...value }, ...Object.values(value).map(flat))
		: {};

it('Retry On Fail', async () => {
	const prompts = ['one', 'two', 'three'];
	const posts = () =>
		host.service.requests.filter(({ method, path }) => method === 'POST' && path.includes('/jobs'))
			.length;
	// the last one: then the others are under way already, on the slowest machine
	const failing = { match: { method: 'POST', bodyIncludes: 'three' }, times: Infinity } as const;
	host.service.fault({ ...failing, do: { type: 'status', status: 500 } });
	await run(pictures(host.service, own.paying, prompts, retryOnFail));
	const theirs = posts();

	host.reset();
	host.service.fault({ ...failing, do: { type: 'status', status: 500 } });
	const items = prompts.map((prompt) => ({ prompt }));
	const start = ofRouter()('Start', ['media', 'start'], picture(PROMPT), retryOnFail);
	await run(workflow('retried', items, start));
	tellRow(
		'One of 3 paid items fails, and Retry On Fail tries 3 times',
		count(theirs, 'paid request'),
		count(posts(), 'paid request'),
	);
});

const BUDGET = 1;
const EXECUTIONS = 3;

it("a month's budget that holds over workers", async () => {
	const prompts = Array.from({ length: 13 }, (_, at) => `Picture ${at}`);
	const spend = async (file: (prompts: string[]) => WorkflowFile) => {
		host.reset();
		const { paid } = await host.service.paidFor(async () => {
			await run(file(['the first']));
			const saved = await queue.editor.importWorkflow(file(prompts));
			const ids = await queue.startTimes(saved, EXECUTIONS);
			for (const id of ids) await queue.editor.finished(id);
			expect(new Set(ids.flatMap((id) => queue.workersOf(id))).size).toBe(2);
		});
		return `$${(paid / 1e6).toFixed(2)} spent`;
	};
	const account = await createWithLedger(queue.editor, secretsOf(host.service).router, {
		budgetUsd: String(BUDGET),
	});
	const generate = ofRouter(account)('Generate', ['media', 'generate'], picture(PROMPT), {
		onError: 'continueRegularOutput',
	});
	const theirs = await spend((wanted) => pictures(host.service, own.paying, wanted));
	const ours = await spend((wanted) =>
		workflow(
			'within the budget',
			wanted.map((prompt) => ({ prompt })),
			generate,
		),
	);
	tellRow('A budget of $1 a month, 40 pictures of $0.04 on two workers', theirs, ours);
});

it('a video after a crash', async () => {
	const { service } = host;
	const label = 'crash';
	const trigger = await host.triggered(label);
	await queue.editor.activate(trigger);
	// it is being made until the workers are back
	service.forms.jobSteps = 1000;
	const prompt = 'Waves on a beach';
	const built = await queue.editor.importWorkflow(video(service, own.paying, prompt));
	const id = await queue.editor.start(built);
	await until('it is being made', () => service.received(prompt) === 1);
	const started = await run(
		workflow(
			'started',
			[{}],
			host.startNode('', {
				mediaType: 'videos',
				model: model('reel/short-1.0'),
				prompt,
				options: { triggerGroup: label },
			}),
		),
	);
	const [ownJob = '', ourJob = ''] = service.world.starts.map(({ jobId }) => jobId);
	expect(itemsOf(started, 'Start')[0]?.json['jobId']).toBe(ourJob);
	await Promise.all(queue.workers.map((worker) => worker.kill()));
	service.forms.jobSteps = 0;
	await Promise.all(queue.workers.map((worker) => worker.boot()));

	const delivered = await host.delivered(trigger.id, 1);
	const lost = await queue.editor.finished(id, 300);
	await queue.editor.deactivate(trigger.id);
	const told = (items: Item[], kept: unknown, jobId: string) => {
		const files = items.flatMap(({ binary = {} }) => Object.keys(binary)).length;
		const isKnown = JSON.stringify(kept).includes(jobId);
		return `${files ? 'the' : 'no'} video, ${isKnown ? 'and its ID' : 'no ID to ask for it by'}`;
	};
	tellRow(
		'All workers crash while a video is made: what is left of it',
		told(itemsOf(lost, 'Download'), lost.runData, ownJob),
		told(delivered, delivered, ourJob),
	);
});
