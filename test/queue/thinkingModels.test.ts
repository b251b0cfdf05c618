import { randomUUID } from 'node:crypto';
import { resolve } from 'node:path';

import { AGENT, agentFile, counter, publishAgent, textRequests, withModel } from '../n8n/agent.ts';
import { bridgeOfFile } from '../n8n/bridge.ts';
import { gateByMail } from '../n8n/conversationWorkflow.ts';
import { itemsOf } from '../n8n/execution.ts';
import { linkOf, mailOfFile, openLink } from '../n8n/mailServer.ts';
import { node, using, type Attached } from '../n8n/workflow.ts';
import { startQueue, type Queue } from './queue.ts';

// models that think, below agents that go on in another process
let queue: Queue;
beforeAll(async () => {
	queue = await startQueue({
		env: { NODE_OPTIONS: `--require ${resolve('test/queue/postgresDriver.cjs')}` },
	});
});
afterAll(async () => await queue?.stop());
const bridge = bridgeOfFile({}, () => queue.editor);

const mail = mailOfFile(() => queue.editor);

const thinker = () => withModel(bridge, {}, { id: 'thinker/content-1' });
type Message = Record<string, unknown>;
/** What was sent with each call. */
const asked = () =>
	textRequests(bridge).map(({ body }) => (body as { messages: Message[] }).messages);
const thoughtsOf = (messages: Message[]) =>
	messages.flatMap(({ reasoning_content: thought }) => thought ?? []);

it('two calls, of which one needs an approval: it is given while another worker runs', async () => {
	const gate = gateByMail(mail.account, 'Gate');
	const { file } = agentFile({
		text: 'hello [[tool:One]] [[tools:2]]',
		attached: [thinker(), { node: gate, as: 'ai_tool' }, counter('One', 'Gate'), counter('Two')],
	});
	const id = await queue.editor.start(await queue.editor.importWorkflow(file));
	const asking = await mail.server.next(queue.editor, id);
	expect(await queue.editor.finishedOrParked(id)).toMatchObject({ status: 'waiting' });
	const [holder] = queue.workersOf(id);
	await holder!.stop();
	await openLink(linkOf(asking));
	const execution = await queue.editor.finished(id);
	await holder!.boot();

	expect(new Set(queue.workersOf(id)).size).toBe(2);
	expect(itemsOf(execution, AGENT)).toMatchObject([
		{ json: { output: expect.stringContaining('counted') } },
	]);
	expect(thoughtsOf(asked().at(-1)!)).toHaveLength(1);
});

/** n8n's Postgres Chat Memory, in a database of its own. */
async function postgresMemory(): Promise<Attached> {
	const database = await queue.postgres!.createDatabase();
	const account = await queue.editor.createCredential({
		name: 'Memory',
		type: 'postgres',
		data: {
			host: database['DB_POSTGRESDB_HOST'],
			port: Number(database['DB_POSTGRESDB_PORT']),
			database: database['DB_POSTGRESDB_DATABASE'],
			user: database['DB_POSTGRESDB_USER'],
			password: database['DB_POSTGRESDB_PASSWORD'],
			ssl: 'disable',
			maxConnections: 10,
			sshTunnel: false,
			allowUnauthorizedCerts: false,
		},
	});
	const type = '@n8n/n8n-nodes-langchain.memoryPostgresChat';
	return {
		node: node('Memory', type, {}, { typeVersion: 1.3, ...using(account) }),
		as: 'ai_memory',
	};
}

it('a chat with a memory in PostgreSQL: another worker, which remembers nothing, tells it in words', async () => {
	const [first, second] = queue.workers;
	await second!.stop();
	const agent = await publishAgent(bridge, {
		attached: [thinker(), await postgresMemory(), counter('One'), counter('Two')],
	});
	const sessionId = randomUUID();
	await agent.say('hello [[tool:One]] [[tools:2]]', sessionId);
	await agent.say('and now? [[tool:Two]]', sessionId);
	await second!.boot();
	await first!.stop();
	expect(await agent.say('thank you', sessionId)).toContain('thank you');
	await first!.boot();

	expect(asked().map((messages) => thoughtsOf(messages).length)).toEqual([0, 1, 2, 3, 0, 0]);
	expect(asked().at(-1)).toMatchObject([
		{ role: 'user', content: 'hello [[tool:One]] [[tools:2]]' },
		{
			role: 'user',
			content: expect.stringMatching(/^You called One with .* The tool's words, not the user's: /),
		},
		{
			role: 'user',
			content: expect.stringMatching(/^You called Two with .* The tool's words, not the user's: /),
		},
		{ role: 'user', content: expect.stringMatching(/^You said: /) },
		{ role: 'user', content: 'and now? [[tool:Two]]' },
		{
			role: 'user',
			content: expect.stringMatching(/^You called Two with .* The tool's words, not the user's: /),
		},
		{ role: 'user', content: expect.stringMatching(/^You said: /) },
		{ role: 'user', content: 'thank you' },
	]);
});
