import { createServer } from 'node:http';

import { agentFile, MODEL, TEXT_MODEL, withModel } from '../n8n/agent.ts';
import { messages, model, nodesFor } from '../n8n/bridge.ts';
import { until } from '../n8n/editor.ts';
import { workflow, type WorkflowFile } from '../n8n/workflow.ts';
import { listen } from '../service/listen.ts';
import { openOwn, type Own } from './ownN8n.ts';

// what an OpenTelemetry collector gets of nodes that paid
const exported: Buffer[] = [];
const collector = createServer((request, response) => {
	void request.toArray().then((chunks: Buffer[]) => {
		exported.push(...chunks);
		response.end();
	});
});
let own: Own;
beforeAll(async () => {
	own = await openOwn({
		N8N_OTEL_ENABLED: 'true',
		N8N_OTEL_TRACES_INCLUDE_NODE_SPANS: 'true',
		N8N_OTEL_TRACES_PRODUCTION_ONLY: 'false',
		N8N_OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${await listen(collector)}`,
		// n8n's own switch for its tests, by which they turn on what needs a license
		E2E_TESTS: 'true',
	});
});
beforeEach(() => void exported.splice(0));
afterAll(async () => {
	await own?.stop();
	collector.close();
});

/** Runs it. @returns what can be read of the span of a node: the exporter writes protobuf, in which texts stay as they are */
async function spanOf(name: string, file: WorkflowFile): Promise<string> {
	await own.editor.runOnce(file);
	const readable = () => Buffer.concat(exported).toString('latin1').split('node.execute');
	// the span of the workflow is the last one
	await until('the trace is exported', () => readable().at(-1)!.includes('workflow.execute'));
	return readable().find((span) => new RegExp(`n8n\\.node\\.name\\W+${name}`).test(span)) ?? '';
}
const chat = () =>
	nodesFor(own.accounts).router('Chat', ['text', 'message'], {
		...{ model: model(TEXT_MODEL), ...messages('Hi') },
	});

it('without its license n8n exports no attribute of a node', async () => {
	const span = await spanOf('Chat', workflow('without a license', [{}], chat()));
	expect(span).toContain('n8n-nodes-agent-bridge.modelRouter');
	expect(span).not.toContain('n8n.node.custom');
});

describe('with the license', () => {
	beforeAll(async () => {
		const feature = 'feat:otel:customSpanAttributes';
		await own.editor.call('PATCH', '/rest/e2e/feature', { feature, enabled: true });
	});

	it.each([
		['a text model', 'Chat', () => workflow('text', [{}], chat())],
		[
			'a call of a chat model',
			MODEL,
			() => agentFile({ text: 'Hi', attached: [withModel(own)] }).file,
		],
	])('the span of %s says what was paid', async (_what, name, file) => {
		const span = await spanOf(name, file());
		for (const attribute of [
			`gen_ai\\.request\\.model\\W+${TEXT_MODEL}`,
			'gen_ai\\.usage\\.input_tokens\\W+\\d',
			'gen_ai\\.usage\\.output_tokens\\W+\\d',
			'cost\\.usd\\W+0\\.\\d',
			'request\\.ids\\W+\\w',
			'outcome\\W+started',
		])
			expect(span).toMatch(new RegExp(`n8n\\.node\\.custom\\.${attribute}`));
	});
});
