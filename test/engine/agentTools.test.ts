import {
	createRunExecutionData,
	type IDataObject,
	type INodeParameters,
	type StructuredChunk,
} from 'n8n-workflow';

import { callTool, type ToolOptions, type Way } from './rig/agentTool';
import {
	agent,
	CARRY_ON,
	chat,
	failPosts,
	job,
	LOST,
	model,
	PICTURE,
	posts,
	response,
	RETRIED,
	secretsOf,
	secretsOfAnother,
} from './rig/calls';
import { serviceForTests } from './rig/service';

// a node as the tool of an AI agent: what it may spend, and what the agent gets
const service = serviceForTests({ jobSteps: 0 });

const ways: Way[] = ['by the engine', 'by itself'];
const PROMPT = "={{ $fromAI('prompt', 'What to show', 'string') }}";
const allowed = { allowAgents: true };

const media = (operation: string, parameters: INodeParameters, prompts = ['a cat']) => ({
	tool: job(operation, { ...PICTURE, prompt: PROMPT, ...parameters }),
	calls: prompts.map((prompt): IDataObject => ({ prompt })),
});
const call = async (way: Way, options: Omit<ToolOptions, 'secrets'>) =>
	await callTool(way, { secrets: secretsOf(service), ...options });
/** The items that the agent reads. */
const items = (answer: string | undefined) => JSON.parse(answer ?? '') as IDataObject[];
const downloads = () => service.requests.filter(({ path }) => path.endsWith('/content'));

describe.each(ways)('paid jobs for an agent that calls its tool %s', (way) => {
	const NOT_SET_UP =
		/This tool is not set up to start media jobs.*Allow Paid Jobs From AI Agents.*Do not call it again/;
	// n8n resolves expressions although the parameter takes none
	const NO_EXPRESSION =
		/Allow Paid Jobs From AI Agents (cannot be an expression|must be true or false)/;

	it.each([
		['start', {}, NOT_SET_UP],
		['generate', {}, NOT_SET_UP],
		['start', { allowAgents: false }, NOT_SET_UP],
		['start', { allowAgents: "={{ $fromAI('allow', '', 'boolean') }}" }, NO_EXPRESSION],
		['generate', { allowAgents: '={{ true }}' }, NO_EXPRESSION],
	])('%s with %j starts nothing, and the message says what to do', async (name, more, message) => {
		const calls = [{ prompt: 'a cat', allow: true }];
		const { answers } = await call(way, { ...media(name, more), calls });
		expect(posts(service)).toEqual([]);
		expect(answers).toEqual([expect.stringMatching(message)]);
	});

	it('start with the leave of a person: one job per call, named to the agent', async () => {
		const prompts = ['a cat', 'a dog'];
		const { answers } = await call(way, media('start', allowed, prompts));
		const bodies = prompts.map((prompt) => ({ model: 'canvas/sketch-1', prompt }));
		expect(posts(service).map(({ body }) => body)).toEqual(expect.arrayContaining(bodies));
		const ids = answers.map((answer) => String(items(answer)[0]?.['jobId']));
		expect(ids.toSorted()).toEqual(service.world.starts.map(({ jobId }) => jobId).toSorted());
		expect(ids).toHaveLength(2);
	});

	describe.each(['start', 'generate'])('%s', (operation) => {
		const ask = async (parameters: INodeParameters, given: IDataObject) => {
			const { tool } = media(operation, { ...allowed, ...parameters });
			if (!('prompt' in parameters)) delete (tool.parameters as IDataObject)['prompt'];
			return (await call(way, { tool, calls: [given] })).answers;
		};

		it.each([
			['takes its prompt from the model', {}, { Prompt: 'a cat' }, { prompt: 'a cat' }],
			['or from its node', { prompt: 'a cat' }, {}, { prompt: 'a cat' }],
			[
				'or from a parameter',
				{ prompt: '', options: { parameters: '{"text": "a"}' } },
				{},
				{ text: 'a' },
			],
		])('%s', async (_what, parameters, given, body) => {
			await ask(parameters, given);
			expect(posts(service)[0]?.body).toEqual({ model: 'canvas/sketch-1', ...body });
		});

		/** n8n itself refuses such a call of an agent that calls its tools by itself. */
		const AGAIN =
			/Prompt is empty: nothing was given for \W+Prompt.*Call the tool again|did not match expected schema\W+Required\W+at Prompt/;
		const NO_FIELD =
			/Prompt is empty, so nothing says what to generate. Nothing was started.*Do not call this tool again: tell the user to let the model define \W+Prompt/;
		it.each([
			['that the model leaves out', {}, {}, AGAIN],
			['that is blank', {}, { Prompt: ' ' }, AGAIN],
			['that no field takes', { prompt: '' }, { Prompt: 'a cat' }, NO_FIELD],
			['that is blank in the node', { prompt: '  ' }, { Prompt: 'a cat' }, NO_FIELD],
			[
				'beside which there are other parameters',
				{ prompt: '', options: { parameters: '{"resolution": "4K", "text": " "}' } },
				{ Prompt: 'a cat' },
				NO_FIELD,
			],
		])(
			'starts nothing without a prompt, or with one %s',
			async (_what, parameters, given, told) => {
				expect(await ask(parameters, given)).toEqual([expect.stringMatching(told)]);
				expect(posts(service)).toEqual([]);
			},
		);
	});

	it('what may have been received is not sent again, by Retry On Fail or by the agent', async () => {
		failPosts(service, LOST);
		const data = createRunExecutionData();
		const settings = {
			...RETRIED,
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
		failPosts(service, { type: 'latency', ms: 20, effect: true });
		const prompts = [1, 2, 3, 4, 5, 6].map((number) => `picture-${number}.`);
		const options = { spendingCapPerExecution: 0.1 };
		const { answers } = await call(way, media('start', { ...allowed, options }, prompts));
		expect([posts(service).length, service.mostInFlight]).toEqual([2, 1]);
		expect(answers.filter((answer) => /"jobId"/.test(answer))).toHaveLength(2);
		const REACHED = /is left of the spending cap of \$0\.10 for this execution\. Nothing was sent/;
		expect(answers.filter((answer) => REACHED.test(answer))).toHaveLength(4);
	});
});

it.each([
	['images', 'Image', 'canvas/sketch-1', /stores it for 7 days/, 7],
	['audio', 'Speech', 'voice/speaker-1', /download it at once/, undefined],
])(
	'generate %s: the file stays at the service, and its address is told',
	async (mediaType, label, id, advice, keptDays) => {
		const tool = media('generate', { ...allowed, mediaType, model: model(id) });
		const { answers, toolRuns } = await call('by the engine', tool);
		const [item] = items(answers[0]);
		const jobId = service.world.starts[0]?.jobId;
		const file = { jobId, mediaType, advice: expect.stringMatching(advice) };
		expect(item).toMatchObject({
			jobId,
			mediaType,
			state: 'completed',
			costUsd: expect.any(Number),
			file,
		});
		const where = `Media Type "${label}" and Job ID "${jobId}"`;
		expect(item?.['file']).toMatchObject({ advice: expect.stringContaining(where) });
		expect((item?.['file'] as IDataObject)['keptDays']).toBe(keptDays);
		expect(downloads()).toEqual([]);
		expect(JSON.stringify(toolRuns)).not.toContain('"binary"');
	},
);

it('download: of a finished job where its file is, of any other what to do', async () => {
	const start = async (prompt: string) => {
		const { answers } = await call('by the engine', media('start', allowed, [prompt]));
		return items(answers[0])[0]?.['jobId'] as string;
	};
	const download = async (id: string) => {
		const options = { mediaType: 'images', jobId: "={{ $fromAI('job', 'The job', 'string') }}" };
		const { answers, toolRuns } = await call('by the engine', {
			tool: job('download', options),
			calls: [{ job: id }],
		});
		expect(JSON.stringify(toolRuns)).not.toContain('"binary"');
		return answers[0];
	};
	const jobId = await start('a cat');
	expect(items(await download(jobId))).toMatchObject([{ jobId, file: { jobId, keptDays: 7 } }]);
	const unfinished = await start('[[never]] a dog');
	const early = await download(unfinished);
	expect(early).toMatch(/The media job is not finished yet.*do not start it again/s);
	expect(early).toContain(`jobId: ${unfinished}`);
	expect(await download(await start('[[fail]] a cow'))).toMatch(
		/"error":"The media job failed: The model could not do this \(jobId: [^()]+\)\. A failed job is not charged\.[^"]*start a new one, with another Unique Key if it has one\.",/,
	);
	expect(downloads()).toEqual([]);
});

describe('what an agent is told', () => {
	const asked = "={{ $fromAI('question', 'What to ask', 'string') }}";
	const anAgent = agent({ message: asked });
	const aChat = chat(asked);
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
		const { answers } = await callTool('by the engine', {
			tool: { ...tool, parameters: { ...tool.parameters, requestSettings } },
			secrets,
			calls: [{ question }],
			onChunk: (chunk) => chunks.push(chunk),
		});
		return String(items(answers[0])[0]?.['error']);
	};

	it.each([
		[401, {}, /refused the API key.*The service says: .*tell the user to check the credential/],
		[402, {}, /balance.*Do not call this tool again now: tell the user\./],
		[403, {}, /does not permit this.*tell the user to check the credential/],
		[404, {}, /has nothing at this.*Correct what you gave to this tool, or tell the user/],
		[429, { 'retry-after': '600' }, /too many requests.*Nothing was started\..*for 600 seconds/],
		[500, {}, /not known whether.*Do not call this tool again now: tell the user/],
	])('status %d', async (status, headers, expected) => {
		failPosts(service, { type: 'status', status, headers });
		expect(await ask(aChat)).toMatch(expected);
	});

	it('nobody is there', async () => {
		const { modelRouterApi } = secretsOf(service);
		const nowhere = { modelRouterApi: { ...modelRouterApi, baseUrl: 'http://127.0.0.1:1' } };
		const told = await ask(aChat, 'hello', nowhere);
		expect(told).toMatch(/could not be reached.*tell the user that the service is not working/);
		expect(told).not.toContain('not known');
	});

	it.each([
		['the agent', anAgent],
		['a response', response(asked)],
	])(
		'%s: an answer that broke off is in the message, and called incomplete',
		async (_who, tool) => {
			failPosts(service, { type: 'limit_data', bytes: 2500 });
			expect(await ask(tool, '[[words:200]]')).toMatch(
				/stopped before its end.*word1 word2 .*incomplete, and is charged/,
			);
		},
	);

	it('an answer that cannot be used is not asked for again', async () => {
		const body = '{"foo":"bar"}';
		failPosts(service, { type: 'body', body, contentType: 'application/json', effect: true });
		expect(await ask(anAgent)).toMatch(
			/No text was found.* Do not make this call again: it would be charged again\.$/,
		);
	});

	it('with an error output, of which n8n discards all, nothing is sent, and the agent is told', async () => {
		const discarded = { tool: anAgent, settings: CARRY_ON };
		const calls = [{ question: 'hello' }];
		const { answers } = await call('by the engine', { ...discarded, calls });
		expect(items(answers[0])).toEqual([
			{
				error: expect.stringMatching(
					/^"Continue \(using error output\)" is not .*Nothing was sent/,
				),
			},
		]);
		expect(posts(service)).toEqual([]);
		// an agent that calls its tools by itself reads the answer before
		const itself = await call('by itself', { ...discarded, calls });
		expect(items(itself.answers[0])).toMatchObject([{ complete: true }]);
	});

	it('only where the user wants it does a failure end the workflow', async () => {
		const { run, answers } = await call('by the engine', {
			tool: agent({ message: '' }),
			calls: [{}],
			settings: { onError: 'stopWorkflow' },
		});
		expect(run.data.resultData.error?.message).toMatch(/^Message is empty/);
		expect(answers).toEqual([]);
	});
});
