import {
	createRunExecutionData,
	type IDataObject,
	type INodeParameters,
	type StructuredChunk,
} from 'n8n-workflow';

import { startService, type Service } from '../service/service';
import { callTool, type ToolOptions, type Way } from './rig/agentTool';
import {
	agent,
	assistant,
	chat,
	job,
	posts,
	response,
	secretsOf,
	secretsOfAnother,
} from './rig/calls';

// a node as the tool of an AI agent: what it may spend, and what the agent gets
let service: Service;
beforeAll(async () => (service = await startService()));
beforeEach(() => {
	service.reset();
	service.forms.jobSteps = 0;
});
afterAll(() => service.stop());

const ways: Way[] = ['by the engine', 'by itself'];
const model = (value: string) => ({ __rl: true, mode: 'id', value });
const PROMPT = "={{ $fromAI('prompt', 'What to show', 'string') }}";

const media = (
	operation: string,
	parameters: INodeParameters,
	prompts = ['a cat'],
): Omit<ToolOptions, 'secrets'> => ({
	tool: job(operation, {
		mediaType: 'images',
		model: model('canvas/sketch-1'),
		prompt: PROMPT,
		...parameters,
	}),
	calls: prompts.map((prompt) => ({ prompt })),
});
const call = async (way: Way, options: Omit<ToolOptions, 'secrets'>) =>
	await callTool(way, { secrets: secretsOf(service), ...options });
const allowed = { allowAgents: true };
/** The items that the agent reads. */
const items = (answer: string | undefined) => JSON.parse(answer ?? '') as IDataObject[];

describe.each(ways)('paid jobs for an agent that calls its tool %s', (way) => {
	it.each([
		['start', {}],
		['generate', {}],
		['start', { allowAgents: false }],
		// n8n resolves this one although the parameter takes no expressions
		['start', { allowAgents: "={{ $fromAI('allow', 'Whether it is allowed', 'boolean') }}" }],
		['generate', { allowAgents: '={{ true }}' }],
	])('%s with %j starts nothing, and the message says what to do', async (operation, more) => {
		const options = media(operation, more);
		const { answers } = await call(way, {
			...options,
			calls: [{ prompt: 'a cat', allow: true }],
		});
		expect(posts(service)).toEqual([]);
		expect(answers).toHaveLength(1);
		if (!('allowAgents' in more) || more.allowAgents === false) {
			expect(answers[0]).toMatch(
				/This tool is not set up to start media jobs.*Do not call it again/,
			);
			expect(answers[0]).toContain('Allow Paid Jobs From AI Agents');
		} else
			expect(answers[0]).toMatch(
				/Allow Paid Jobs From AI Agents (takes no expression|must be true or false)/,
			);
	});

	it('start with the leave of a person: one job per call, named to the agent', async () => {
		const { answers } = await call(way, media('start', allowed, ['a cat', 'a dog']));
		expect(posts(service).map(({ body }) => body)).toEqual(
			expect.arrayContaining([
				{ model: 'canvas/sketch-1', prompt: 'a cat' },
				{ model: 'canvas/sketch-1', prompt: 'a dog' },
			]),
		);
		const ids = answers.map((answer) => String(items(answer)[0]?.['jobId']));
		expect(ids.toSorted()).toEqual(service.world.starts.map(({ jobId }) => jobId).toSorted());
		expect(ids).toHaveLength(2);
	});

	it('what may have been received is not sent again, by Retry On Fail or by the agent', async () => {
		service.fault({ match: { method: 'POST' }, do: { type: 'reset_peer', effect: true } });
		const data = createRunExecutionData();
		const settings = {
			retryOnFail: true,
			maxTries: 3,
			waitBetweenTries: 1,
			// only what a tool throws is tried again by an agent that calls it by itself
			...(way === 'by itself' && { onError: 'stopWorkflow' as const }),
		};
		const ask = async (prompts: string[]) =>
			(await call(way, { ...media('start', allowed, prompts), settings, data })).answers;
		for (const [answer] of [await ask(['a cat']), await ask(['a cat'])])
			expect(answer).toMatch(/not known whether the service received.*It was not sent again/s);
		expect(service.world.starts).toHaveLength(1);
		// another wish is another start
		await ask(['a dog']);
		expect(service.world.starts).toHaveLength(2);
	});

	it('the spending cap of an execution counts over all calls', async () => {
		service.fault({ match: { method: 'POST' }, do: { type: 'latency', ms: 20, effect: true } });
		const prompts = [1, 2, 3, 4, 5, 6].map((number) => `picture-${number}.`);
		const { answers } = await call(
			way,
			media('start', { ...allowed, options: { spendingCapPerExecution: 0.1 } }, prompts),
		);
		expect(posts(service)).toHaveLength(2);
		expect(service.mostInFlight).toBe(1);
		expect(answers.filter((answer) => /"jobId"/.test(answer))).toHaveLength(2);
		const refused = answers.filter((answer) =>
			/The spending cap of \$0\.10 for this execution is reached\. Nothing was sent/.test(answer),
		);
		expect(refused).toHaveLength(4);
	});

	it('a cap per item holds, too', async () => {
		const { answers } = await call(way, media('start', { ...allowed, spendingCapPerItem: 0.03 }));
		expect([answers[0], posts(service)]).toEqual([
			expect.stringMatching(/costs at least \$0\.04, more than the spending cap/),
			[],
		]);
	});

	it.each([
		['images', 'Image', 'canvas/sketch-1', /is stored there for 7 days/, 7],
		['audio', 'Speech', 'voice/speaker-1', /must be downloaded at once/, undefined],
	])(
		'generate %s: the file stays at the service, and its address is told',
		async (mediaType, label, id, advice, keptDays) => {
			const { answers, toolRuns } = await call(
				way,
				media('generate', { ...allowed, mediaType, model: model(id) }),
			);
			const [item] = items(answers[0]);
			const jobId = service.world.starts[0]?.jobId;
			expect(item).toMatchObject({
				jobId,
				mediaType,
				state: 'completed',
				costUsd: expect.any(Number),
				file: { jobId, mediaType, advice: expect.stringMatching(advice) },
			});
			expect(item?.['file']).toMatchObject({
				advice: expect.stringContaining(`Media Type "${label}" and Job ID "${jobId}"`),
			});
			expect((item?.['file'] as IDataObject)['keptDays']).toBe(keptDays);
			expect(service.requests.filter(({ path }) => path.endsWith('/content'))).toEqual([]);
			expect(JSON.stringify(toolRuns)).not.toContain('"binary"');
		},
	);

	it('download: of a finished job where its file is, of any other what to do', async () => {
		const start = async (prompt: string) =>
			items((await call(way, media('start', allowed, [prompt]))).answers[0])[0]?.['jobId'];
		const jobId = await start('a cat');
		const unfinished = await start('[[never]] a dog');
		const failed = await start('[[fail]] a cow');
		const download = async (id: unknown) => {
			const options = { mediaType: 'images', jobId: "={{ $fromAI('job', 'The job', 'string') }}" };
			const { answers, toolRuns } = await call(way, {
				tool: job('download', options),
				calls: [{ job: id as string }],
			});
			expect(JSON.stringify(toolRuns)).not.toContain('"binary"');
			return answers[0];
		};
		expect(items(await download(jobId))).toMatchObject([{ jobId, file: { jobId, keptDays: 7 } }]);
		const early = await download(unfinished);
		expect(early).toMatch(/The media job is not finished yet/);
		expect(early).toContain(`jobId: ${String(unfinished)}`);
		expect(early).toContain('do not start it again');
		expect(await download(failed)).toMatch(/The media job failed.*not charged/);
		expect(service.requests.filter(({ path }) => path.endsWith('/content'))).toEqual([]);
	});
});

describe('what an agent is told', () => {
	const asked = "={{ $fromAI('question', 'What to ask', 'string') }}";
	const tools: Array<[string, ToolOptions['tool']]> = [
		['the agent', agent({ message: asked })],
		['the assistant', assistant('ask', { question: asked })],
		['the assistant, streaming', assistant('askStreaming', { question: asked })],
		['a chat', chat(asked)],
		['a response', response(asked)],
		[
			'a job',
			media('start', { ...allowed, prompt: asked, options: { allowUnknownCost: true } }).tool,
		],
	];
	/** What went into the chat of the user. */
	let chunks: StructuredChunk[];
	beforeEach(() => (chunks = []));
	afterEach(() => expect(chunks).toEqual([]));

	const ask = async (
		tool: ToolOptions['tool'],
		question = '[[words:60]] hello',
		secrets = secretsOfAnother(service),
	) => {
		const requestSettings = { maxRateLimitWait: 0 };
		const { answers, toolRuns } = await callTool('by the engine', {
			tool: { ...tool, parameters: { ...tool.parameters, requestSettings } },
			secrets,
			calls: [{ question }],
			onChunk: (chunk) => chunks.push(chunk),
		});
		return { told: String(items(answers[0])[0]?.['error']), toolRuns };
	};

	it.each(tools)('%s: an answer', async (_who, tool) => {
		const { answers } = await callTool('by the engine', {
			tool,
			secrets: secretsOfAnother(service),
			calls: [{ question: 'hello' }],
		});
		expect(items(answers[0])).toEqual([
			expect.objectContaining(
				tool.parameters['resource'] === 'media'
					? { jobId: expect.any(String) }
					: { output: expect.stringContaining('hello'), complete: true },
			),
		]);
	});

	it.each(
		tools.flatMap(([who, tool]) =>
			[
				[401, {}, /refused the API key.*The service says: .*tell the user to check the credential/],
				[402, {}, /balance.*Do not call this tool again now: tell the user\./],
				[403, {}, /does not permit this.*tell the user to check the credential/],
				[404, {}, /has nothing under this.*Correct what you gave to this tool, or tell the user/],
				[
					429,
					{ 'retry-after': '600' },
					/too many requests.*Nothing was started\..*for 600 seconds/,
				],
				[500, {}, /not known whether.*Do not call this tool again now: tell the user/],
			].map(([status, headers, told]) => [who, status, tool, headers, told] as const),
		),
	)('%s: status %d', async (_who, status, tool, headers, expected) => {
		service.fault({
			match: { method: 'POST' },
			do: { type: 'status', status: status as number, headers: headers as Record<string, string> },
		});
		expect((await ask(tool)).told).toMatch(expected as RegExp);
	});

	it.each(tools)('%s: the line breaks', async (who, tool) => {
		service.fault({ match: { method: 'POST' }, do: { type: 'reset_peer' } });
		const { told } = await ask(tool);
		expect(told).toMatch(/connection .* broke.*not known whether.*Do not call this tool again/);
		const secrets = Object.fromEntries(
			Object.entries(secretsOf(service)).map(([name, secret]) => [
				name,
				{
					...secret,
					baseUrl: String(secret['baseUrl']).replace(service.url, 'http://127.0.0.1:1'),
				},
			]),
		);
		const { told: unreached } = await ask(tool, 'hello', secrets);
		expect(unreached).toMatch(/could not be reached.*tell the user that the service does not work/);
		expect([who, unreached]).toEqual([who, expect.not.stringContaining('not known')]);
	});

	it.each(tools.slice(0, 5))('%s: nothing was asked', async (_who, tool) => {
		const { told } = await ask(tool, '');
		expect(told).toMatch(/ is empty/);
		expect(posts(service)).toEqual([]);
	});

	it.each([tools[0]!, tools[2]!, tools[3]!, tools[4]!])(
		'%s: an answer that broke off is in the message, and called incomplete',
		async (_who, tool) => {
			service.fault({ match: { method: 'POST' }, do: { type: 'limit_data', bytes: 2500 } });
			const { told } = await ask(tool, '[[words:200]]');
			expect(told).toMatch(/stopped before its end.*word1 word2 .*incomplete, and is charged/);
		},
	);

	it.each(tools)('%s: a key that the service echoes is not told', async (_who, tool) => {
		const secrets = secretsOfAnother(service);
		const key = String(secrets[tool.credential]?.['apiKey']);
		service.fault({
			match: { method: 'POST' },
			do: {
				type: 'status',
				status: 400,
				body: JSON.stringify({ error: { message: `Key ${key}` } }),
			},
		});
		const { told, toolRuns } = await ask(tool, 'hello', secrets);
		expect(told).toContain('Key ***');
		expect(JSON.stringify(toolRuns)).not.toContain(key);
	});

	it.each(tools)('%s: nothing of it goes into the chat of the user', async (_who, tool) => {
		const { answers } = await callTool('by the engine', {
			tool,
			secrets: secretsOfAnother(service),
			calls: [{ question: '[[words:30]]' }],
			onChunk: (chunk) => chunks.push(chunk),
		});
		expect(answers).toHaveLength(1);
	});

	it('only where the user wants it does a failure end the workflow', async () => {
		const { run, answers } = await callTool('by the engine', {
			tool: agent({ message: '' }),
			secrets: secretsOf(service),
			calls: [{}],
			settings: { onError: 'stopWorkflow' },
		});
		expect(run.data.resultData.error?.message).toMatch(/^Message is empty/);
		expect(answers).toEqual([]);
	});
});
