import type { Fault } from '../service/service.ts';
import { openBridge, type Bridge } from './bridge.ts';
import { itemsOf } from './execution.ts';
import {
	AGENT,
	callsOf,
	publishAgent,
	routerChatModel,
	runAgent,
	textRequests,
	type AttachedNode,
} from './routerChatModel.ts';

// what a person reads when a call fails: in the editor, in the agent's output, in a chat
let bridge: Bridge;
beforeAll(async () => {
	bridge = await openBridge();
});
beforeEach(() => bridge.service.reset());
afterAll(async () => await bridge.service.stop());

interface Case {
	/** What the model is asked. */
	question?: string;
	model?: Parameters<typeof routerChatModel>[1];
	/** What goes wrong. */
	begin?: () => Promise<Parameters<typeof routerChatModel>[1]>;
	fault?: Fault;
	balance?: number;
	/** What happened and what to do, in one text: the agent passes on nothing else. */
	message: RegExp;
	/** The same, and all further details: a chat shows nothing else. */
	chat: RegExp;
	posts: number;
	/** What the chat shows before. */
	said?: string;
}

const REQUEST_ID = /Request ID: req-[0-9a-f-]{36}/;
const unknown = /Outcome: unknown; it may have been carried out, and may be charged\./;
const notStarted = /Outcome: nothing was started, nothing is charged\./;

const cases: Record<string, Case> = {
	'a wrong key': {
		begin: async () => {
			const { data } = bridge.accounts.router;
			const account = await bridge.editor.createCredential({
				name: 'Old router account',
				type: 'modelRouterApi',
				data: { ...data, apiKey: 'wrong-key-5e1f' },
			});
			return { account };
		},
		message:
			/^The service refused the API key \(401\): unauthorized\. Check the API key in the credential "Old router account"\. /,
		chat: /^The service refused the API key \(401\): unauthorized\.\n[^]*credential "Old router account"/,
		posts: 0,
	},
	'a balance that is too small': {
		balance: 100,
		message:
			/^The balance does not cover this request \(402\)[^]*needed: \$0\.02\d+, balance: \$0\.0001[^]*The largest "Maximum Output Tokens" that fits now is 66\./,
		chat: /^The balance does not cover this request \(402\)[^]*needed: \$0\.02\d+[^]*"Maximum Output Tokens" that fits now is 66\./,
		posts: 1,
	},
	'a model for images': {
		model: { id: 'canvas/sketch-1' },
		message: /^The model canvas\/sketch-1 makes images\. Use "Media"/,
		chat: /^The model canvas\/sketch-1 makes images\.\nUse "Media"/,
		posts: 0,
	},
	'a conversation that is too long': {
		fault: {
			type: 'status',
			status: 400,
			body: { error: { code: 'context_length_exceeded', message: '130000 tokens of 128000' } },
		},
		message:
			/^The service refused the request \(400\): context_length_exceeded\. The conversation is too long for the model: shorten it [^]*"Context Window Length"/,
		chat: /^The service refused the request \(400\)[^]*130000 tokens of 128000[^]*The conversation is too long/,
		posts: 1,
	},
	'an answer that breaks off': {
		question: '[[words:50]]',
		fault: { type: 'limit_data', bytes: 1500 },
		message:
			/^The answer stopped before its end\. Outcome: the service received it; what it did may be charged\./,
		chat: /^The answer stopped before its end\.\n[^]*The connection broke[^]*may be charged\.\nWhat arrived before \(30 characters\): word1/,
		posts: 1,
		said: 'word1 word2 word3 word4 word5 ',
	},
	'a model that fails in the middle of its answer': {
		question: '[[words:50]] [[break:5]]',
		message: /^The answer stopped before its end: backend_error\. Outcome: the service received it/,
		chat: /^The answer stopped before its end: backend_error\.\nReason: The backend failed\./,
		posts: 1,
		said: 'word1 word2 word3 word4 word5 ',
	},
	'a failure of the service': {
		fault: { type: 'status', status: 500 },
		message:
			/^The service reported an internal error \(500\): fault_500\. It is not known whether the service received the chat request[^]*Outcome: unknown/,
		chat: /^The service reported an internal error \(500\)[^]*Outcome: unknown/,
		posts: 1,
	},
	'too many requests': {
		model: { parameters: { requestSettings: { maxRateLimitWait: 0 } } },
		fault: { type: 'too_many_requests', retryAfter: 30 },
		message: /^The service is receiving too many requests \(429\)[^]*nothing was started/,
		chat: /^The service is receiving too many requests \(429\)[^]*asks to wait 30 s/,
		posts: 1,
	},
};

describe.each(Object.entries(cases))('%s', (name, wrong) => {
	const { question = 'hello', fault, balance, message, chat, posts, said = '' } = wrong;

	const attach = async (): Promise<AttachedNode[]> => {
		if (fault) bridge.service.fault({ match: { method: 'POST' }, do: fault });
		if (balance !== undefined) bridge.service.setBalance(balance);
		const settings = wrong.begin ? await wrong.begin() : wrong.model;
		return [{ node: routerChatModel(bridge, settings), as: 'ai_languageModel' }];
	};
	/** What was sent has an ID, by which support finds it. */
	const expectDetails = (text: string) => {
		expect(text).not.toMatch(/Unknown error|Original error|undefined|\[object|\.\./);
		if (posts) expect(text).toMatch(REQUEST_ID);
		if (name === 'a failure of the service') expect(text).toMatch(unknown);
		if (/balance|too long|too many|key/.test(name)) expect(text).toMatch(notStarted);
		expect(textRequests(bridge)).toHaveLength(posts);
	};

	it('is a sentence in the editor, at the agent and at the model', async () => {
		const execution = await runAgent(bridge, { text: question, attached: await attach() });
		expect(execution.status).toBe('error');
		expect(execution.error?.message).toMatch(message);
		expect(execution.error?.description).toMatch(chat);
		expectDetails(String(execution.error?.message));
		expectDetails(String(execution.error?.description));
		expect(callsOf(execution)).toMatchObject([
			{ status: 'error', error: { message: expect.stringMatching(message) } },
		]);
	});

	it('is a sentence in the output of an agent that continues', async () => {
		const execution = await runAgent(bridge, {
			text: question,
			settings: { onError: 'continueRegularOutput' },
			attached: await attach(),
		});
		expect(execution.status).toBe('success');
		const [item] = itemsOf(execution, AGENT);
		expect(item?.json).toEqual({ error: expect.stringMatching(message) });
		expectDetails(String(item?.json['error']));
	});

	it('is a sentence in a chat, after what the model has said', async () => {
		const agent = await publishAgent(bridge, { way: 'a streaming chat', attached: await attach() });
		const { error, text } = await agent.failure(question);
		expect(error).toMatch(chat);
		expect(text).toBe(said);
		expectDetails(error);
	});
});

it('what had arrived of an answer that broke off, its IDs and the outcome are with the error', async () => {
	bridge.service.fault({ match: { method: 'POST' }, do: { type: 'limit_data', bytes: 1500 } });
	const execution = await runAgent(bridge, {
		text: '[[words:50]]',
		attached: [{ node: routerChatModel(bridge), as: 'ai_languageModel' }],
	});
	expect(execution.runData[AGENT]?.[0]?.error?.context).toMatchObject({
		metadata: {
			kind: 'truncated',
			outcome: 'started',
			requestId: expect.stringMatching(/^req-/),
			partial: { text: 'word1 word2 word3 word4 word5 ' },
		},
	});
});

it('an item that fails leaves the others their answers', async () => {
	bridge.service.fault({
		match: { method: 'POST', bodyIncludes: 'two' },
		do: { type: 'status', status: 403 },
	});
	const execution = await runAgent(bridge, {
		text: '={{ $json.question }}',
		items: ['one', 'two', 'three'].map((question) => ({ question })),
		settings: { onError: 'continueErrorOutput' },
		attached: [{ node: routerChatModel(bridge), as: 'ai_languageModel' }],
	});
	expect(itemsOf(execution, AGENT).map(({ json }) => json['output'])).toEqual([
		'You said: "one".',
		'You said: "three".',
	]);
	expect(itemsOf(execution, AGENT, 1)).toMatchObject([
		{ json: { error: expect.stringContaining('403') }, pairedItem: { item: 1 } },
	]);
	expect(textRequests(bridge)).toHaveLength(3);
});

it.each([
	['a refusal', '[[refusal]]', {}, /I cannot help/, /refused to answer/],
	['a content filter', 'tell [[finish:content_filter]]', {}, /^You said/, /content filter/],
	['a cap on tokens', '[[words:50]]', { maxTokens: 5 }, /word5/, /is cut off/],
])('%s is an answer, and the model says why', async (_what, question, options, answer, notice) => {
	const execution = await runAgent(bridge, {
		text: question,
		attached: [
			{ node: routerChatModel(bridge, { parameters: { options } }), as: 'ai_languageModel' },
		],
	});
	expect(itemsOf(execution, AGENT)[0]?.json['output']).toMatch(answer);
	expect(callsOf(execution)[0]?.json?.['notice']).toMatch(notice);
});
