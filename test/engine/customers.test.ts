import type { IncomingMessage } from 'node:http';
import { createRunExecutionData, type INodeExecutionData } from 'n8n-workflow';

import { agent, assistant, CARRY_ON, chat, job, PICTURE, RETRIED, type Paying } from './rig/calls';
import { useModel as useChatModel, type LanguageModel } from './rig/chatModel';
import { Credentials, type Secrets } from './rig/credentials';
import { copy } from './rig/flow';
import { type Outcome, run, type RunOptions } from './rig/run';
import { contraryForTests, type Said } from './contrary';
import { explore } from '../explore/explore';
import { numbersFrom } from '../support/numbersFrom';

// one workflow for two customers: the key of each item is its own, and so is what comes back
const service = contraryForTests();

const KEYS = { A: 'key-of-customer-A-1f6c', B: 'key-of-customer-B-9e2d' };
type Customer = keyof typeof KEYS;

/** In mixed order. Prompts, sessions and unique keys are equal. */
const customers = Array.from(
	{ length: 20 },
	(_, n): Customer => (n % 5 > 2 || n % 7 === 1 ? 'A' : 'B'),
);
const items = customers.map((customer, n) => ({ n, customer, key: KEYS[customer] }));

const withFields = (fields: object): Secrets =>
	Object.fromEntries(
		Object.entries(service.secrets).map(([type, usual]) => [type, { ...usual, ...fields }]),
	);
const perItem = () => withFields({ apiKey: '={{ $json.key }}' });

const customerOf = ({ headers }: IncomingMessage): Customer | undefined => {
	const sent = [headers['x-api-key'], headers.authorization].join(' ');
	return (Object.keys(KEYS) as Customer[]).find((customer) => sent.includes(KEYS[customer]));
};

/** The first hundred items have the same key. */
const LATE = `={{ $itemIndex > 100 ? "${KEYS.B}" : "${KEYS.A}" }}`;

/** Requests that carry what was given to another customer: a chat, a job, a session. */
const crossed: string[] = [];
/** Sessions of the agent, by the customer who has used them first. */
const sessions = new Map<string, Customer>();
/** How many requests that may cost came from whom. */
const sent = new Map<Customer | undefined, number>();
let jobs = 0;

/** Every answer says whose key has asked for it. @param fails Whether the n-th request that may cost is refused. */
const answers =
	(fails: (nth: number) => boolean = () => false) =>
	(request: IncomingMessage, body: string): Said | undefined => {
		const { method, url = '' } = request;
		if (url.startsWith('/v1/models')) return undefined;
		const customer = customerOf(request);
		const other = customer === 'A' ? 'B' : 'A';
		const [, session] = /session\/([^/]+)/.exec(url) ?? [];
		if (session && (sessions.get(session) ?? customer) !== customer) crossed.push(url);
		if (session && customer) sessions.set(session, customer);
		if (`${url} ${body}`.includes(`of-${other}`)) crossed.push(`${url} ${body}`);
		const isPaid = method === 'POST';
		const nth = isPaid ? [...sent.values()].reduce((sum, one) => sum + one, 0) : -1;
		if (isPaid) sent.set(customer, (sent.get(customer) ?? 0) + 1);
		if (isPaid && fails(nth)) return { status: 422, type: 'application/json', body: '{}' };
		return said(url, customer, isPaid);
	};

function said(url: string, customer: Customer | undefined, isPaid: boolean): Said {
	const say = (what: unknown): Said => ({ type: 'application/json', body: JSON.stringify(what) });
	if (url.includes('/jobs')) {
		const id = isPaid ? `job-${++jobs}-of-${customer}` : url.split('/').at(-1);
		return say({ id, status: 'completed', output: `said of-${customer}`, cost: 40_000 });
	}
	if (url.includes('/chat/completions'))
		return say({
			model: 'northwind/quill-2.5',
			choices: [{ message: { role: 'assistant', content: `said of-${customer}` } }],
			usage: { prompt_tokens: 10, completion_tokens: 5 },
		});
	if (url.includes('/invoke_assistant'))
		return say({ answer: `said of-${customer}`, chat_id: `chat-of-${customer}` });
	return { type: 'text/plain', body: `said of-${customer}` };
}

const inSession = { sessionMode: 'key', sessionKey: 'the same' };
const PLACES: Array<[string, Paying]> = [
	['a text', chat('the same')],
	['a message to an agent', agent({ message: 'the same', ...inSession })],
	['a question', assistant('ask', { question: 'the same', ...inSession })],
	['the start of a job', job('start', { ...PICTURE, options: { allowUnknownCost: true } })],
];

/** Whose answer an item has. */
const ownerOf = ({ json }: INodeExecutionData) => /of-(A|B)/.exec(JSON.stringify(json))?.[1];

beforeEach(() => {
	crossed.length = 0;
	sessions.clear();
	sent.clear();
	service.answer(answers());
});

describe.each(PLACES)('%s', (_name, call) => {
	const runWith = async (more: Partial<RunOptions> = {}) =>
		await run({ ...call, secrets: perItem(), items, ...more });
	const ownersOf = (given: INodeExecutionData[]) => given.map(ownerOf);

	it('goes out with the key of its item, and what comes back belongs to the item', async () => {
		const { items: given, error } = await runWith();
		expect([error, crossed]).toEqual([undefined, []]);
		expect(ownersOf(given)).toEqual(customers);
		expect(Object.fromEntries(sent)).toEqual({
			A: customers.filter((one) => one === 'A').length,
			B: customers.filter((one) => one === 'B').length,
		});
	});

	it('one that fails in the middle is that of its own item', async () => {
		service.answer(answers((nth) => nth === 9));
		const { items: given, failed } = await runWith({ settings: CARRY_ON });
		expect([given.length, failed.length, crossed]).toEqual([19, 1, []]);
		const own = given.map(({ pairedItem }) => customers[(pairedItem as { item: number }).item]);
		expect(ownersOf(given)).toEqual(own);
	});

	it.each(['Retry On Fail', 'Retry execution'])(
		'%s sends only what was not answered, each with its own key',
		async (how) => {
			service.answer(answers((nth) => nth === 9));
			const isOnFail = how === 'Retry On Fail';
			const first = await runWith({ settings: isOnFail ? RETRIED : {} });
			const { items: given, error } = isOnFail
				? first
				: await runWith({ retry: copy(first.run.data) });
			expect([error, crossed]).toEqual([undefined, []]);
			expect(ownersOf(given)).toEqual(customers);
			expect((sent.get('A') ?? 0) + (sent.get('B') ?? 0)).toBe(21);
		},
	);

	it('one after another in one execution, as with Loop Over Items', async () => {
		const data = createRunExecutionData();
		const given: INodeExecutionData[] = [];
		for (const item of items) given.push(...(await runWith({ items: [item], data })).items);
		expect(ownersOf(given)).toEqual(customers);
		expect(crossed).toEqual([]);
	});

	it('a header with something new each time pays for no item twice', async () => {
		const extra = {
			additionalHeader1Name: 'X-Sent-At',
			additionalHeader1Value: '={{ Math.random() }}',
		};
		const secrets = withFields({ apiKey: '={{ $json.key }}', ...extra });
		service.answer(answers((nth) => nth === 9));
		const first = await runWith({ secrets });
		const { items: given, error } = await runWith({ secrets, retry: copy(first.run.data) });
		expect([error, crossed]).toEqual([undefined, []]);
		expect(ownersOf(given)).toEqual(customers);
		expect((sent.get('A') ?? 0) + (sent.get('B') ?? 0)).toBe(21);
	});

	it('with Execute Once, only the first item counts', async () => {
		const { items: given, error } = await runWith({ settings: { executeOnce: true } });
		expect(error).toBeUndefined();
		expect(ownersOf(given)).toEqual(customers.slice(0, 1));
	});

	it('an item without a key fails alone', async () => {
		const some = [items[0]!, { n: 1 }, items[2]!];
		const { items: given, failed } = await runWith({ items: some, settings: CARRY_ON });
		expect(given).toHaveLength(2);
		expect(failed).toMatchObject([{ json: { n: 1, error: expect.stringContaining('API key') } }]);
	});
});

it('the base URL is that of the item, too: what is for one server is not heard by the other', async () => {
	const baseUrl = String(service.secrets['workspaceAgentApi']?.['baseUrl']).replace(/w$/, '');
	const secrets = withFields({ baseUrl: `=${baseUrl}{{ $json.customer }}` });
	const call = agent({ message: 'secret of-{{ $json.customer }}', ...inSession });
	const { error } = await run({ ...call, secrets, items });
	expect(error).toBeUndefined();
	expect(service.asked.map((one) => /workspaces\/(.)/.exec(one)?.[1]).toSorted()).toEqual(
		customers.toSorted(),
	);
});

it('items whose credential reads equal share one connection, so the catalog is read once for each account', async () => {
	const secrets = withFields({ apiKey: '=key-of-a-fresh-account-{{ $json.customer }}' });
	await run({ ...chat('x'), secrets, items });
	expect(service.asked.filter((one) => one.startsWith('GET'))).toHaveLength(2);
});

it.each([
	['no expression: the first fifty, and as it was entered', {}, 1, 51],
	['an expression: all', { apiKey: '={{ $json.key }}' }, 2, 122],
	['an expression that all of the first read equal: all', { apiKey: LATE }, 2, 122],
	['an expression in a field of the owner: all', { budgetAmount: '={{ 1 }}' }, 1, 122],
])(
	'of 120 items, those whose credential is read: %s',
	async (_what, fields, accounts, readings) => {
		const many = Array.from({ length: 120 }, (_, n) => ({ n, key: KEYS[n > 100 ? 'B' : 'A'] }));
		const readAll = jest.spyOn(Credentials.prototype, 'getDecrypted');
		const { failed } = await run({
			...agent({ message: 'x' }),
			secrets: withFields(fields),
			items: many,
		});
		expect(failed).toEqual([]);
		expect(readAll.mock.calls.length).toBeLessThanOrEqual(readings);
		expect(readAll.mock.calls.length).toBeGreaterThan(readings - 3);
		expect([...sent.values()].filter(Boolean)).toHaveLength(accounts);
		readAll.mockRestore();
	},
);

it.each(PLACES.slice(0, 3))(
	'as a tool, %s is refused where the model of the agent could choose the key',
	async (_name, call) => {
		const given = { secrets: perItem(), items: [items[0]!], asTool: true };
		const [answer] = (await run({ ...call, ...given })).items;
		expect(answer?.json['error']).toContain('the model of an AI agent could fill');
		expect(service.posted).toEqual([]);
	},
);

const MODELS = [
	{ id: 'northwind/quill-2.5', pricing: { input_per_mtok: 0.5, output_per_mtok: 1.5 } },
	{ id: 'northwind/quill-mini', pricing: { input_per_mtok: 0.1, output_per_mtok: 0.5 } },
	{ id: 'canvas/sketch-1', pricing: { unit: 'image', per_unit: 0.04 } },
	{ id: 'canvas/sketch-2', pricing: { unit: 'image', per_unit: 0.02 } },
];
const LIST = { __rl: true, mode: 'modelList', value: 'edited' };
const LISTED = [chat('the same', { model: LIST }), job('start', { ...PICTURE, model: LIST })];

/** The list and the cap are edited between the runs of one execution; what the service answers follows from the seed, too. */
async function playEdits(seed: number) {
	const random = numbersFrom(seed);
	const oneOf = <Value>(values: readonly Value[]) => values[Math.floor(random() * values.length)]!;
	const call = oneOf(LISTED);
	const given = items.slice(Math.floor(random() * 15)).slice(0, 1 + Math.floor(random() * 5));
	const usual = answers();
	/** Requests that were carried out, or may have been, and those whose answer came. */
	let [paid, answered] = [0, 0];
	crossed.length = 0;
	service.answer((request, body) => {
		if (request.url?.startsWith('/v1/models'))
			return { type: 'application/json', body: JSON.stringify({ data: MODELS }) };
		const answer = usual(request, body);
		const luck = random();
		if (request.method !== 'POST') return answer;
		if (luck < 0.2) return { status: 422, type: 'application/json', body: '{}' };
		paid++;
		if (luck < 0.3) return { status: 500, type: 'application/json', body: '{}' };
		answered++;
		return answer;
	});
	const log: string[] = [];
	let last: Outcome | undefined;
	for (let time = 1; time <= 4 && (!last || last.error); time++) {
		const models = MODELS.filter(() => random() < 0.7).map(({ id }) => id);
		const list = [{ name: 'edited', models: models.join('\n'), order: 'asListed' }];
		const edited = {
			spendingCapPerItem: oneOf([0.001, 0.03, 5]),
			requestSettings: { concurrency: 1 },
		};
		last = await run({
			...call,
			items: given,
			settings: oneOf([{}, {}, RETRIED, CARRY_ON]),
			parameters: { ...call.parameters, ...edited },
			secrets: withFields({ apiKey: '={{ $json.key }}', modelLists: { list } }),
			...(last && { retry: copy(last.run.data) }),
		});
		log.push(`${models.join()} ${JSON.stringify(edited)}: ${paid} paid, ${last.error?.message}`);
	}
	const wrong = [...crossed];
	if (paid > given.length) wrong.push(`${paid} were paid for ${given.length} items`);
	const { items: got = [], error } = last ?? {};
	const isOwn = ({ json, pairedItem }: INodeExecutionData) =>
		ownerOf({ json }) === given[(pairedItem as { item: number }).item]?.customer;
	if (!error && got.length !== answered)
		wrong.push(`${got.length} of ${answered} answers are there`);
	if (!got.every(isOwn)) wrong.push('the answer of another customer');
	return { wrong, log };
}

it('whatever is edited between two runs of an execution, nothing is paid twice, and nothing crosses', async () => {
	const runs = Number(process.env['AGENT_BRIDGE_RUNS'] ?? 400) / 20;
	expect(await explore(runs, playEdits)).toBeUndefined();
});

describe('the chat model, of which n8n gives an agent one', () => {
	const useModel = async (rows: typeof items) => {
		const given = { items: rows, use: async (model: LanguageModel) => await model.invoke('hi') };
		return await useChatModel({ secrets: perItem(), ...given });
	};

	it('is refused where the credential reads differently for another item', async () => {
		const { error } = await useModel(items.slice(0, 5));
		expect(`${error?.message} ${error?.description}`).toMatch(
			/reads differently for another item.*Loop Over Items \(batch size 1\)/s,
		);
		expect(service.posted).toEqual([]);
	});

	it('answers one item at a time, each with its own key', async () => {
		for (const item of items.slice(0, 5)) {
			const { given, error } = await useModel([item]);
			expect(error).toBeUndefined();
			expect(JSON.stringify(given)).toContain(`of-${item.customer}`);
		}
	});

	it('answers all items of one customer', async () => {
		const { given, error } = await useModel(items.filter(({ customer }) => customer === 'B'));
		expect(error).toBeUndefined();
		expect(JSON.stringify(given)).toContain('of-B');
	});
});
