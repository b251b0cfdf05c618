import type { INodeParameters } from 'n8n-workflow';

import type { CallFailure } from '../../src/n8n/languageModel';
import type { Fault } from '../service/service';
import { CARRY_ON, chat, failPosts, NOVELIST, posts, says, secretsOf } from './rig/calls';
import { type LanguageModel } from './rig/chatModel';
import { converse } from './rig/converse';
import { ours } from './rig/flow';
import { serviceForTests } from './rig/service';

// a model that writes 9,000 tokens if nobody limits it, for $10 per million: $0.09, of which the router holds $0.04096
const service = serviceForTests();
const protocols = [
	['chat', 'max_tokens'],
	['responses', 'max_output_tokens'],
] as const;

const sentMaxima = (field = 'max_tokens') =>
	posts(service).map(({ body }) => (body as Record<string, number>)[field]);

describe('Message a Model', () => {
	const execute = async (operation: string, cap: number, options: INodeParameters) => {
		const more = { model: NOVELIST, spendingCapPerItem: cap, options, operation };
		return await service.run(chat('Write a novel.', more), { settings: CARRY_ON });
	};
	const write = async (cap: number, options: INodeParameters = {}) =>
		await service.paidFor(async () => await execute('message', cap, options));
	const estimate = async (cap: number, options: INodeParameters = {}) =>
		(await execute('estimateCost', cap, options)).items[0]?.json;

	it.each(protocols)(
		'%s: the bill stays within the cap, and the hint names the field',
		async (protocol, field) => {
			const { result, paid } = await write(0.06, { protocol });
			const [maximum = 0] = sentMaxima(field);
			expect(maximum).toBeGreaterThan(5900);
			expect(maximum).toBeLessThan(6000);
			expect(paid).toBeLessThanOrEqual(60_000);
			// all that the cap affords was used
			expect(paid).toBeGreaterThan(59_000);
			expect(result.items[0]?.json).toMatchObject({
				complete: true,
				costUsd: paid / 1e6,
				finishReason: 'length',
				notice: `The answer is cut off: it reached ${maximum} output tokens, which the spending cap and the service allow for it. Set "Maximum Output Tokens" to allow more; reasoning models need 2000 or more, since their thinking counts as output.`,
			});
			expect(JSON.stringify(result.run.data)).toContain('"hints"');
		},
	);

	it('is refused where the cap affords less than 4,096', async () => {
		const { result, paid } = await write(0.04);
		expect(result.failed[0]?.json['error']).toMatch(
			/^This could cost up to \$0\.04\d+, more than the spending cap of \$0\.04\. Nothing was sent\. At most \d+ tokens go in and 4096 come out: lower "Maximum Output Tokens", shorten the input, or raise "Spending Cap per Item \(USD\)"\./,
		);
		expect([paid, posts(service)]).toEqual([0, []]);
	});

	it('asks for 16,384 at most, and is not cut where that suffices', async () => {
		const { result } = await write(1);
		expect(sentMaxima()).toEqual([16_384]);
		expect(result.items[0]?.json).toMatchObject({ finishReason: 'stop' });
		expect(result.items[0]?.json).not.toHaveProperty('notice');
	});

	it('a maximum that is set is sent, and estimated, as it is', async () => {
		const { result } = await write(1, { maxTokens: 7000 });
		expect(sentMaxima()).toEqual([7000]);
		expect(result.items[0]?.json['notice']).toMatch(/Raise "Maximum Output Tokens"/);
		expect(await estimate(1, { maxTokens: 7000 })).toMatchObject({ maxOutputTokens: 7000 });
	});

	const unbounded = { allowUnknownCost: true, additionalFields: '{"web_search_options": {}}' };
	it.each([
		['500 of 500 tokens', 500, { maxTokens: 500 }, 'length', true],
		['499 of 500 tokens', 499, { maxTokens: 500 }, 'tool_calls', false],
		['neither tokens nor a limit', undefined, unbounded, 'tool_calls', false],
	])('an answer with calls, %s', async (_what, tokens, options, end, isCut) => {
		const tool_calls = [{ index: 0, id: 'c', function: { name: 'f', arguments: '{}' } }];
		const usage = { prompt_tokens: 100, completion_tokens: tokens };
		failPosts(service, says({ tool_calls }, 'tool_calls', usage));
		const { json } = (await execute('message', 1, options)).items[0]!;
		expect(json).toMatchObject({ finishReason: end, toolCalls: [{ name: 'f' }] });
		expect(String(json['notice']).includes('is cut off')).toBe(isCut);
	});

	it('of unknown cost sends no maximum: no cap says what it affords', async () => {
		await write(1, unbounded);
		expect(sentMaxima()).toEqual([undefined]);
	});

	it.each([0.06, 1])('Estimate Cost says the same bound (cap %d)', async (cap) => {
		const estimated = await estimate(cap);
		await write(cap);
		expect(estimated?.['maxOutputTokens']).toBe(sentMaxima()[0]);
		expect(estimated?.['maxCostUsd']).toBeLessThanOrEqual(cap);
	});
});

/** Fields that limit an answer to one token, if the service knows them: it only applies the protocol's own. More in unit/router/outputLimits. */
const limits: Array<[protocol: string, fields: object]> = [
	['chat', { max_output_tokens: 1 }],
	['chat', { max_tokens: 9000, max_completion_tokens: 1 }],
	['responses', { max_tokens: 1 }],
];
/** Fields whose cost has no bound: one of each kind. All are in unit/router/promptTokens. */
const unbounded: Array<[protocol: string, fields: object]> = [
	['chat', { max_tokens: 0 }],
	['chat', { max_tokens: 1, best_of: 20 }],
	['responses', { max_output_tokens: 1, tools: [{ type: 'web_search' }] }],
];
/** The chat model takes tools from its caller only. */
const NO_BOUND =
	/The cost cannot be calculated: .*turn on "Allow Unknown Cost" in Options|not a whole number above 0\. Nothing was sent\. Correct it|Fields must not contain "tools"/;

describe('whatever a request says about its output, the bill stays within what was counted', () => {
	type Said = { paid: number; said: string };
	const inMessage = async (options: INodeParameters): Promise<Said> => {
		const { result, paid } = await service.paidFor(
			async () =>
				await service.run(
					chat('Write a novel.', { model: NOVELIST, spendingCapPerItem: 0.001, options }),
					{ settings: CARRY_ON },
				),
		);
		return { paid, said: String(result.failed[0]?.json['error'] ?? '') };
	};
	const inChatModel = async (
		options: INodeParameters,
		use: (chat: LanguageModel) => Promise<unknown> = async (chat) => await chat.invoke('Write.'),
		cap = 'spendingCapPerCall',
	): Promise<Said> => {
		const parameters = { model: NOVELIST, [cap]: 0.001, options };
		const { result, paid } = await service.paidFor(
			async () => await service.useModel({ parameters, use }),
		);
		return { paid, said: String(result.error?.message ?? '') };
	};
	/** The client of LangChain's model, which sends what a caller likes. */
	const ofCaller = (fields: object) => async (chat: LanguageModel) => {
		const { completions } = chat as unknown as {
			completions: {
				client: { chat: { completions: { create(body: object): Promise<unknown> } } };
				_getClientOptions(options: object): void;
			};
		};
		// makes the client
		completions._getClientOptions({});
		const messages = [{ role: 'user', content: 'Write.' }];
		const asked = { model: 'x', messages, ...fields };
		return await completions.client.chat.completions.create(asked).catch((error: Error) => {
			// the client says "Connection error." of whatever our `fetch` throws
			throw (error.cause as CallFailure).failure;
		});
	};
	const ways: Array<[string, (protocol: string, fields: object) => Promise<Said>]> = [
		[
			'Message a Model',
			async (protocol, fields) =>
				await inMessage({ protocol, additionalFields: JSON.stringify(fields) }),
		],
		[
			'the chat model',
			async (protocol, fields) =>
				await inChatModel({ protocol, additionalFields: JSON.stringify(fields) }),
		],
		[
			'a caller of the chat model',
			async (protocol, fields) =>
				await inChatModel({ protocol }, ofCaller(fields), 'spendingCapPerExecution'),
		],
	];

	describe.each(ways)('%s', (_way, ask) => {
		it.each(limits)("%s %j: the protocol's own field is sent beside it", async (...row) => {
			const [protocol, fields] = row;
			const { paid, said } = await ask(protocol, fields);
			expect(said).toBe('');
			expect(sentMaxima(protocol === 'chat' ? 'max_tokens' : 'max_output_tokens')).toEqual([1]);
			expect(paid).toBeGreaterThan(0);
			expect(paid).toBeLessThanOrEqual(1000);
		});

		it.each(unbounded)('%s %j: is not sent', async (...row) => {
			const [protocol, fields] = row;
			const { paid, said } = await ask(protocol, fields);
			expect(said).toMatch(NO_BOUND);
			expect([paid, posts(service)]).toEqual([0, []]);
		});
	});

	it('of unknown cost, a limit by another name is still sent as the own one, too', async () => {
		const fields = { max_completion_tokens: 1, service_tier: 'flex' };
		const additionalFields = JSON.stringify(fields);
		const { paid } = await inMessage({ allowUnknownCost: true, additionalFields });
		expect(sentMaxima()).toEqual([1]);
		expect(paid).toBeLessThan(1000);
	});
});

it.each(protocols)(
	'a call of the chat model stays within its cap, and its output says why it is cut (%s)',
	async (protocol, field) => {
		const { result, paid } = await service.paidFor(
			async () =>
				await service.useModel({
					parameters: { model: NOVELIST, spendingCapPerCall: 0.06, options: { protocol } },
					use: async (chat) => await chat.invoke('Write a novel.'),
				}),
		);
		expect(sentMaxima(field)[0]).toBeGreaterThan(5900);
		expect(paid).toBeLessThanOrEqual(60_000);
		const notice = expect.stringContaining('Set "Maximum Output Tokens" to allow more');
		expect(result.calls).toMatchObject([
			{ output: { finishReason: 'length', notice }, hints: [{ message: notice }] },
		]);
	},
);

it('calls of the chat model share the cap of an execution: the second gets what the first has left', async () => {
	const { paid } = await service.paidFor(
		async () =>
			await service.useModel({
				parameters: { model: NOVELIST, spendingCapPerExecution: 0.15 },
				use: async (chat) => [await chat.invoke('1'), await chat.invoke('2')],
			}),
	);
	expect(paid).toBeLessThanOrEqual(150_000);
	expect(sentMaxima()[1]).toBeLessThan(6000);
});

/** Two models of the router talk, with $0.25 for all of their turns. */
async function talk(onFailure: string) {
	const parameters = { resource: 'text', operation: 'message', model: NOVELIST };
	const speaker = ours('Speaker', 'modelRouterTool', { credential: 'modelRouterApi', parameters });
	return await service.paidFor(
		async () =>
			await converse({
				parameters: { turnLimit: 9, spendingCapPerConversation: 0.25, options: { onFailure } },
				speakers: { Ada: speaker, Bob: speaker },
				secrets: secretsOf(service),
			}),
	);
}

it.each(['end', 'skip', 'askAgain'])(
	'a conversation stays within its cap, and ends with the turn that could exceed it (On Failure: %s)',
	async (onFailure) => {
		const { result, paid } = await talk(onFailure);
		// the second turn gets what the first has left, which is too little for the third
		expect(paid).toBeLessThanOrEqual(250_000);
		expect(result.json).toMatchObject({
			ended: 'spendingCap',
			reason: expect.stringMatching(
				/^The turn of \w+ could exceed Spending Cap per Conversation: This does not fit into what is left of the spending cap of \$0\.25 for this conversation\./,
			),
			costUsd: paid / 1e6,
		});
		expect(posts(service).length).toBeGreaterThan(1);
	},
);

const COULD_EXCEED = /could exceed Spending Cap per Conversation/;
const NOBODY = /Nobody said anything in 2 turns/;

it.each<[string, Fault, RegExp]>([
	['breaks off', { type: 'limit_data', bytes: 2500 }, COULD_EXCEED],
	['has no usage', { type: 'drop', includes: '"usage":{' }, COULD_EXCEED],
	['is lost', { type: 'reset_peer' }, NOBODY],
])('a turn whose answer %s counts toward the cap with what was reserved for it', async (...row) => {
	const [, fault, reason] = row;
	service.fault({ match: { method: 'POST' }, do: fault });
	const { result } = await talk('skip');
	expect(result.json['reason']).toMatch(reason);
	expect(result.json).not.toHaveProperty('costUsd');
	// $10 per million
	const reserved = sentMaxima().map((maxTokens = Infinity) => maxTokens / 1e5);
	expect(reserved.reduce((sum, each) => sum + each, 0)).toBeLessThanOrEqual(0.25);
	expect(reserved[0]).toBeGreaterThan(0.16);
});
