// What our node takes for one item by itself: n8n's request helper and its expressions are left out. In a real n8n it drowns
// in what those two take, which is twenty times as much. `node test/bench/ownShare.ts` prints microseconds per item.
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { answersOf, models } from './answers.ts';

const items = Array.from({ length: 100 }, (_, n) => ({ json: { text: `message-${n}` } }));

void measure();

/** The least of many short runs: whatever else the machine does only adds to it. */
async function measure(): Promise<void> {
	const file = join(import.meta.dirname, '../../dist/nodes/ModelRouter/ModelRouter.node.js');
	const { ModelRouter } = createRequire(import.meta.url)(file) as {
		ModelRouter: new () => { execute(this: object): Promise<unknown[][]> };
	};
	const node = new ModelRouter();
	const answers = answersOf(0);
	let least = Infinity;
	for (let run = 0; run < 2000; run++) {
		const execution = executionOf(answers);
		const started = performance.now();
		const [output] = await node.execute.call(execution);
		least = Math.min(least, performance.now() - started);
		if (!/answer/.test(JSON.stringify(output?.at(-1)))) throw new Error('no answer came');
	}
	process.stdout.write(String((least * 1000) / items.length));
}

/** As much of n8n's execution context as our node uses, with everything there at once. */
function executionOf(answers: ReturnType<typeof answersOf>): object {
	const parameters: Record<string, unknown> = {
		resource: 'text',
		operation: 'message',
		inputType: 'list',
		model: { __rl: true, mode: 'id', value: models.short },
		// one at a time: the others would only wait for their turn to begin
		requestSettings: { concurrency: 1 },
	};
	const messages = (item: number) => ({
		message: [{ role: 'user', content: items[item]?.json.text }],
	});
	const [context, executeData] = [{}, {}];
	const stop = new AbortController().signal;
	const nothing = () => undefined;
	return {
		getInputData: () => items,
		getNode: () => ({
			name: 'Node',
			type: 'n8n-nodes-agent-bridge.modelRouter',
			parameters: { ...parameters, messages: { message: [{ content: '={{ $json.text }}' }] } },
			credentials: { modelRouterApi: { id: '1' } },
		}),
		getNodeParameter: (name: string, item: number, fallback: unknown) =>
			name === 'messages' ? messages(item) : (parameters[name] ?? fallback),
		getCredentials: async () => ({ baseUrl: 'http://127.0.0.1:1', apiKey: 'a-key-of-the-bench' }),
		getContext: () => context,
		getExecuteData: () => executeData,
		getExecutionCancelSignal: () => stop,
		getExecutionId: () => '1',
		continueOnFail: () => false,
		isStreaming: () => false,
		getChatTrigger: nothing,
		addExecutionHints: nothing,
		setMetadata: nothing,
		logger: { debug: nothing, info: nothing, warn: nothing, error: nothing },
		helpers: {
			async httpRequestWithAuthentication(
				_type: string,
				{ url, body }: { url: string; body: unknown },
			) {
				const answer = answers(url, JSON.stringify(body));
				if (!('body' in answer)) throw new Error(`the answer to ${url} takes its time`);
				const headers = { 'content-type': answer.type };
				return { statusCode: 200, headers, body: inOneChunk(answer.body) };
			},
		},
	};
}

async function* inOneChunk(body: Buffer) {
	yield body;
}
