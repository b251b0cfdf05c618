import { randomUUID } from 'node:crypto';

import { runAgent, withModel } from './agent.ts';
import {
	bridgeOfFile,
	createWithLedger,
	model,
	nodesFor,
	readWith,
	secretsOf,
	type Accounts,
} from './bridge.ts';
import { fourTurns, outcomeOf, speakersOf } from './conversationWorkflow.ts';
import { connectMcp, publishMcpTools } from './mcp.ts';
import { asTool } from './workflow.ts';

// one budget for everything that uses a credential, in a real n8n
const bridge = bridgeOfFile();
let accounts: Accounts;
beforeAll(async () => {
	const { editor, service } = bridge;
	const account = await createWithLedger(editor, secretsOf(service).router, {
		budgetUsd: '2',
		recordSpending: true,
		spendingTable: `Agent Spending ${randomUUID()}`,
	});
	accounts = { ...bridge.accounts, router: account };
	// the first use makes the table
	await figures();
});

const figures = async () =>
	(await readWith(bridge.editor, accounts.router, ['budget', 'getBudget']))[0]!;
/** The sum of the record of spending. */
const recorded = async () => {
	const sum = { groupBy: [] };
	return (await readWith(bridge.editor, accounts.router, ['spending', 'getSpending'], sum))[0]!;
};

/** Ways to spend. Texts and pictures of items are in gallerySpending.test.ts and spendingCases.ts, and in test/queue. */
const ways: Record<string, () => Promise<unknown>> = {
	'a chat model below an AI agent': async () => {
		const { status } = await runAgent(bridge, {
			text: 'Say hello',
			attached: [withModel(bridge, {}, { account: accounts.router })],
		});
		expect(status).toBe('success');
	},
	'two speakers of a conversation': async () => {
		const { model: speaker } = speakersOf(accounts);
		const file = fourTurns({
			opening: 'Say hello to each other',
			speakers: [speaker('Ada'), speaker('Ben')],
		});
		expect(outcomeOf(await bridge.editor.runOnce(file))).toMatchObject({ turns: 4 });
	},
	'a tool of an MCP client': async () => {
		const ask = nodesFor(accounts).router('Ask a Model', ['text', 'message'], {
			model: model('northwind/quill-2.5'),
			prompt: "={{ $fromAI('prompt', 'The prompt', 'string') }}",
		});
		const client = await connectMcp(await publishMcpTools(bridge.editor, [asTool(ask)]));
		const [tool] = (await client.listTools()).tools;
		const given = { name: tool!.name, arguments: { prompt: 'Hello' } };
		const { isError } = await client.callTool(given);
		await client.close();
		expect(isError ?? false).toBe(false);
	},
};

it.each(Object.entries(ways))(
	'%s: what is spent is what the service bills',
	async (_way, spend) => {
		const { spentUsd } = await figures();
		const { costUsd } = await recorded();
		const paid = (await bridge.service.paidFor(spend)).paid / 1e6;
		expect(paid).toBeGreaterThan(0);
		const after = await figures();
		expect(Number(after['spentUsd']) - Number(spentUsd)).toBeCloseTo(paid, 6);
		expect(after).toMatchObject({ reservedUsd: 0, reservations: [] });
		const record = await recorded();
		expect(Number(record['costUsd']) - Number(costUsd)).toBeCloseTo(paid, 6);
		expect(record).toMatchObject({ unknownCosts: 0 });
	},
);
