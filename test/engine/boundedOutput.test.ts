import type { INodeParameters } from 'n8n-workflow';

import { startService, type Service } from '../service/service';
import { chat, posts, secretsOf } from './rig/calls';
import { useModel, type LanguageModel } from './rig/chatModel';
import { converse } from './rig/converse';
import { made, run } from './rig/run';

// a model that writes 9,000 tokens if nobody limits it, for $10 per million: $0.09, of which the router holds $0.04096
let service: Service;
beforeAll(async () => (service = await startService()));
beforeEach(() => service.reset());
afterAll(() => service.stop());

const NOVELIST = { __rl: true, mode: 'id', value: 'verbose/novelist-1' };

const balance = () => service.world.accounts.get(service.router.keys.main)?.balance ?? 0;
/** Does something, and tells what the account paid for it, in micro-dollars. */
async function paidFor<Result>(work: () => Promise<Result>) {
	const before = balance();
	const result = await work();
	await service.settled();
	return { result, paid: before - balance() };
}
const sentMaxima = (field = 'max_tokens') =>
	posts(service).map(({ body }) => (body as Record<string, unknown>)[field]);

const write = async (spendingCapPerItem: number, options: INodeParameters = {}) =>
	await paidFor(
		async () =>
			await run({
				...chat('Write a novel.', { model: NOVELIST, spendingCapPerItem, options }),
				secrets: secretsOf(service),
				settings: { onError: 'continueErrorOutput' },
			}),
	);
const estimate = async (spendingCapPerItem: number, options: INodeParameters = {}) => {
	const { parameters, ...rest } = chat('Write a novel.', {
		model: NOVELIST,
		spendingCapPerItem,
		options,
	});
	const asked = { ...rest, parameters: { ...parameters, operation: 'estimateCost' } };
	const { items } = await run({ ...asked, secrets: secretsOf(service) });
	return items[0]?.json;
};

describe('Message a Model', () => {
	it.each<[string, string]>([
		['chat', 'max_tokens'],
		['responses', 'max_output_tokens'],
	])('%s: the bill stays within the cap, and the hint names the field', async (protocol, field) => {
		const { result, paid } = await write(0.06, { protocol });
		const [maximum] = sentMaxima(field) as number[];
		expect(maximum).toBeGreaterThan(5900);
		expect(maximum).toBeLessThan(6000);
		expect(paid).toBeLessThanOrEqual(60_000);
		// all that the cap affords was used
		expect(paid).toBeGreaterThan(59_000);
		expect(result.items[0]?.json).toMatchObject({
			complete: true,
			costUsd: paid / 1e6,
			finishReason: 'length',
			notice: `The answer is cut off: it reached ${maximum} output tokens, its limit within the spending cap. Set "Maximum Output Tokens" to allow more; reasoning models need 2000 or more, since their thinking counts as output.`,
		});
		expect(JSON.stringify(result.run.data)).toContain('"hints"');
	});

	it('is refused where the cap affords less than 4,096', async () => {
		const { result, paid } = await write(0.04);
		expect(result.failed[0]?.json['error']).toMatch(
			/^This could cost up to \$0\.04\d+, more than the spending cap of \$0\.04\. Nothing was sent\. At most \d+ tokens go in and 4096 come out: lower "Maximum Output Tokens", shorten the input, or raise "Spending Cap per Item"\./,
		);
		expect([paid, posts(service)]).toEqual([0, []]);
	});

	it('asks for 16,384 at most, and is not cut where that suffices', async () => {
		const { result } = await write(1);
		expect(sentMaxima()).toEqual([16_384]);
		expect(result.items[0]?.json).toMatchObject({ finishReason: 'stop' });
		expect(result.items[0]?.json).not.toHaveProperty('notice');
	});

	it('a maximum that is set is sent as it is', async () => {
		const { result } = await write(1, { maxTokens: 7000 });
		expect(sentMaxima()).toEqual([7000]);
		expect(result.items[0]?.json['notice']).toMatch(/Raise "Maximum Output Tokens"/);
	});

	it('of unknown cost sends no maximum: no cap says what it affords', async () => {
		await write(1, { allowUnknownCost: true, additionalFields: '{"web_search_options": {}}' });
		expect(sentMaxima()).toEqual([undefined]);
	});

	it.each([0.06, 1])('Estimate Cost says the same bound (cap %d)', async (cap) => {
		const estimated = await estimate(cap);
		await write(cap);
		expect(estimated?.['maxOutputTokens']).toBe(sentMaxima()[0]);
		expect(estimated?.['maxCostUsd']).toBeLessThanOrEqual(cap);
	});

	it('Estimate Cost does so with a maximum', async () => {
		expect(await estimate(1, { maxTokens: 7000 })).toMatchObject({ maxOutputTokens: 7000 });
	});
});

describe('the chat model', () => {
	const ask = async (
		parameters: INodeParameters,
		use: (model: LanguageModel) => Promise<unknown>,
	) =>
		await paidFor(
			async () =>
				await useModel({
					secrets: secretsOf(service),
					parameters: { model: NOVELIST, ...parameters },
					use,
				}),
		);
	const say = async (model: LanguageModel, text = 'Write a novel.') =>
		await model.invoke(text).then(
			() => 'answered',
			(error: Error) => error.message,
		);

	it.each<[string, string]>([
		['chat', 'max_tokens'],
		['responses', 'max_output_tokens'],
	])(
		'%s: a call stays within its cap, and its output says why it is cut',
		async (protocol, field) => {
			const { result, paid } = await ask(
				{ spendingCapPerCall: 0.06, options: { protocol } },
				async (model) => await say(model),
			);
			expect(sentMaxima(field)[0]).toBeGreaterThan(5900);
			expect(paid).toBeLessThanOrEqual(60_000);
			expect(JSON.stringify(result.calls[0])).toContain(
				'Set \\"Maximum Output Tokens\\" to allow more',
			);
		},
	);

	it('all calls of an execution stay within its cap, one after another', async () => {
		const { result, paid } = await ask({ spendingCapPerExecution: 0.15 }, async (model) => [
			await say(model, '1'),
			await say(model, '2'),
			await say(model, '3'),
		]);
		expect(paid).toBeLessThanOrEqual(150_000);
		// the second gets what the first has left
		expect(sentMaxima()).toEqual([expect.any(Number), expect.any(Number)]);
		expect((sentMaxima() as number[])[1]).toBeLessThan(6000);
		expect((result.given as string[][])[0]?.[2]).toMatch(
			/^The spending cap of \$0\.15 for this execution is reached.*\$0\.1\d+ is spent/,
		);
	});

	it('and at the same time', async () => {
		const { paid } = await ask(
			{ spendingCapPerExecution: 0.2 },
			async (model) =>
				await Promise.all(Array.from({ length: 8 }, async (_, at) => await say(model, `${at}`))),
		);
		expect(posts(service).length).toBeGreaterThan(0);
		expect(paid).toBeLessThanOrEqual(200_000);
	});
});

describe('a conversation', () => {
	const speaker = (parameters: INodeParameters = {}) => ({
		...made('Speaker', 'n8n-nodes-agent-bridge.modelRouterTool', {
			resource: 'text',
			operation: 'message',
			model: NOVELIST,
			...parameters,
		}),
		credentials: { modelRouterApi: { id: 'modelRouterApi', name: 'modelRouterApi' } },
	});
	const talk = async (spendingCapPerConversation: number, options: INodeParameters = {}) =>
		await paidFor(
			async () =>
				await converse({
					parameters: { turnLimit: 6, spendingCapPerConversation, options },
					speakers: { Ada: speaker(), Bob: speaker() },
					secrets: secretsOf(service),
				}),
		);

	it.each(['end', 'skip', 'askAgain'])(
		'stays within its cap, and ends with the turn that could exceed it (On Failure: %s)',
		async (onFailure) => {
			const { result, paid } = await talk(0.25, { onFailure });
			// the second turn gets what the first has left, which is too little for the third
			expect(paid).toBeLessThanOrEqual(250_000);
			expect(result.json).toMatchObject({
				ended: 'spendingCap',
				reason: expect.stringMatching(
					/^The turn of \w+ could exceed Spending Cap per Conversation: The spending cap of \$0\.25 for this conversation is reached/,
				),
				costUsd: paid / 1e6,
			});
			expect(posts(service).length).toBeGreaterThan(1);
		},
	);
});
