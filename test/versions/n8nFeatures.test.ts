import { randomUUID } from 'node:crypto';

import { askAgent } from '../n8n/agent.ts';
import {
	bridgeOfFile,
	modelsListedBy,
	packageName,
	payingOperations,
	type Bridge,
} from '../n8n/bridge.ts';
import { until } from '../n8n/editor.ts';
import { itemsOf } from '../n8n/execution.ts';
import { gatedAnswer, gatedQuestion, readAlong, textOf } from '../n8n/liveCaller.ts';
import { sharedLog } from '../n8n/shared.ts';
import { beginAt, node, using, webhook, workflow, type WorkflowNode } from '../n8n/workflow.ts';
import { describeRefusing, describeWorking, has, tested } from './tested.ts';

const bridge = bridgeOfFile();
beforeEach(() => void (bridge.service.forms.jobSteps = 0));

/** A node of an operation that may cost, by the end of its name in `payingOperations`. */
function nodeOf(operationName: string, text: string, account?: Bridge['accounts']['router']) {
	const found = payingOperations.find(([name]) => name.endsWith(operationName));
	if (!found) throw new Error(`no operation ${operationName}`);
	const [, make] = found;
	return make(bridge.accounts, text, account && using(account));
}

/** A trigger that watches a job by its ID, without a job ledger. */
async function importTriggered(jobId: string) {
	const trigger = {
		type: `${packageName}.modelRouterTrigger`,
		...using(bridge.accounts.router),
		parameters: {
			pollTimes: { item: [{ mode: 'everyMinute' }] },
			watch: 'list',
			mediaType: 'images',
			jobIds: jobId,
		},
	};
	const file = workflow(`trigger ${jobId}`, [], node('After', 'n8n-nodes-base.noOp', {}));
	return await bridge.editor.importWorkflow(beginAt(file, trigger));
}

describeWorking('Live answers', () => {
	it('are streamed to the caller of a webhook', async () => {
		const path = randomUUID();
		const file = workflow(path, [], nodeOf('send', '={{ $json.body.q }}'));
		await bridge.editor.publish(beginAt(file, webhook(path)));
		const url = `${bridge.editor.url}/webhook/${path}`;
		const chunks = await readAlong(bridge.service, url, { q: gatedQuestion }, [0]);
		expect(textOf(chunks)).toBe(gatedAnswer);
	});
});

describeWorking('Stop', () => {
	it('ends a wait at once', async () => {
		bridge.service.fault({
			match: { method: 'GET', path: '/v1/images/jobs' },
			do: { type: 'status', status: 429, headers: { 'retry-after': '40' } },
		});
		const saved = await bridge.editor.importWorkflow(
			// the log has what the error does not name: the other job
			workflow('stopped', [{}, {}], nodeOf('generate', 'stopped [[never]]')),
		);
		const id = await bridge.editor.start(saved);
		const polled = () =>
			bridge.service.world.starts.length === 2 &&
			bridge.service.requests.some(({ method, status }) => method === 'GET' && status === 429);
		await until('the node waits', polled);
		await bridge.editor.stopExecution(id);
		const said = 'A run that ended early had started work';
		await until('the node has ended', () => sharedLog().includes(said), 20);
		expect((await bridge.editor.finished(id)).status).toBe('canceled');
	});
});

describeWorking('Tool of an AI agent', () => {
	const ask = async (tool: WorkflowNode) => await askAgent(bridge, 'hello [[tool:Node]]', [tool]);
	const asked = "={{ $fromAI('question', 'What to ask', 'string') }}";

	it('answers the agent', async () => {
		const { output } = await ask(nodeOf('send', asked));
		expect(output).toMatch(/^The tool said: .*hello/);
	});

	it('does not start a paid job without leave, and says so to the agent', async () => {
		const { output } = await ask(nodeOf('start', asked));
		expect(output).toMatch(/^The tool said: .*Allow Paid Jobs From AI Agents/);
		expect(bridge.service.world.starts).toEqual([]);
	});
});

describeWorking('Trigger', () => {
	it('gives a finished job with its file, once', async () => {
		const { editor } = bridge;
		const started = await editor.runOnce(workflow('start', [{}], nodeOf('start', 'watched')));
		const jobId = String(itemsOf(started, 'Node')[0]?.json['jobId']);
		const saved = await importTriggered(jobId);
		await editor.activate(saved);
		const execution = await editor.finishedOf(saved.id);
		const items = itemsOf(execution, 'After');
		expect(items.map(({ json }) => json['jobId'])).toEqual([jobId]);
		expect((await editor.bytesOf(items[0]?.binary?.['data'])).length).toBeGreaterThan(100);
		await editor.deactivate(saved.id);
	});
});

describeWorking('Allowed domains', () => {
	it('of a credential are enforced', async () => {
		const { name, type, data } = bridge.accounts.agent;
		const restricted = await bridge.editor.createCredential({
			name: `${name} of one domain`,
			type,
			data: { ...data, allowedHttpRequestDomains: 'domains', allowedDomains: 'example.com' },
		});
		const execution = await bridge.editor.runOnce(
			workflow('restricted', [{}], nodeOf('send', 'hello', restricted)),
		);
		expect(execution.error?.message).toMatch(/^Domain not allowed/);
		expect(bridge.service.requests).toEqual([]);
	});
});

describeWorking('Patterns', () => {
	it(`of a JSON schema are matched${has('limitedPatterns') ? ', or given up' : ''}`, async () => {
		const pattern = has('limitedPatterns') ? '^(a+)+$' : '^b';
		const said = { type: 'string', pattern };
		const jsonSchema = JSON.stringify({ type: 'object', properties: { said } });
		const asking = nodeOf('chat', `${'a'.repeat(100)}!`);
		Object.assign(asking.parameters, { responseFormat: 'json_schema', jsonSchema });
		const execution = await bridge.editor.runOnce(workflow('pattern', [{}], asking));
		expect(JSON.stringify(execution.error)).toMatch(
			has('limitedPatterns') ? /Regular expression execution timed out/ : /does not match pattern/,
		);
	});
});

describeRefusing('the trigger and the model list', () => {
	const sentence = `This node needs n8n ${tested.refuses} or newer`;

	it('a trigger is not activated, and says why', async () => {
		const saved = await importTriggered('job-1');
		await expect(bridge.editor.activate(saved)).rejects.toThrow(sentence);
	});

	it('the model list says why', async () => {
		await expect(modelsListedBy('modelRouter', bridge)).rejects.toThrow(sentence);
	});
});
