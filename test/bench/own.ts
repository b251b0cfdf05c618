// What the node takes for an item by itself: n8n's request helper and its expressions are left out. In a real n8n it drowns in
// what those take. To see where the time goes: `node --cpu-prof test/bench/own.ts 2000`, after a build.
import { execFile } from 'node:child_process';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { answersOf, models } from './answers.ts';
import type { Host } from './hosts.ts';
import type { Samples } from './row.ts';

/** Runs this file in a process of its own, in which nothing else has run. */
export async function measureOwnShare({ sizes }: Host): Promise<Samples> {
	const flags = ['--disable-warning=MODULE_TYPELESS_PACKAGE_JSON'];
	const args = [...flags, import.meta.filename, String(sizes.ownRuns)];
	const { stdout } = await promisify(execFile)(process.execPath, args);
	return { ours: [{ 'own us': Number(stdout) }] };
}

const items = Array.from({ length: 100 }, (_, n) => ({ json: { text: `message-${n}` } }));
const answers = answersOf(0);

/** @returns microseconds per item, the least of many short runs: other work on the machine only adds to it */
async function leastOf(runs: number): Promise<number> {
	const file = join(import.meta.dirname, '../../dist/nodes/ModelRouter/ModelRouter.node.js');
	const { ModelRouter } = createRequire(import.meta.url)(file) as {
		ModelRouter: new () => { execute(this: object): Promise<unknown[][]> };
	};
	const node = new ModelRouter();
	let least = Infinity;
	for (let run = 0; run < runs; run++) {
		const execution = executionOf();
		const started = performance.now();
		const [output] = await node.execute.call(execution);
		least = Math.min(least, performance.now() - started);
		if (!/answer/.test(JSON.stringify(output?.at(-1)))) throw new Error('no answer came');
	}
	return (least * 1000) / items.length;
}

/** As much of n8n's execution context as the node uses, with everything there at once. */
function executionOf(): object {
	const parameters: Record<string, unknown> = {
		...{ resource: 'text', operation: 'message', inputType: 'list' },
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
			...{ name: 'Node', type: 'n8n-nodes-agent-bridge.modelRouter' },
			parameters: { ...parameters, messages: { message: [{ content: '={{ $json.text }}' }] } },
			credentials: { modelRouterApi: { id: '1' } },
		}),
		getNodeParameter: (name: string, item: number, fallback: unknown) =>
			name === 'messages' ? messages(item) : (parameters[name] ?? fallback),
		getCredentials: async () => ({ baseUrl: 'http://127.0.0.1:1', apiKey: 'a-key-of-the-bench' }),
		...{ getContext: () => context, getExecuteData: () => executeData },
		...{ getExecutionCancelSignal: () => stop, getExecutionId: () => '1' },
		...{ continueOnFail: () => false, isStreaming: () => false },
		...{ getChatTrigger: nothing, addExecutionHints: nothing, setMetadata: nothing },
		logger: { debug: nothing, info: nothing, warn: nothing, error: nothing },
		helpers: {
			async httpRequestWithAuthentication(_type: string, given: { url: string; body: unknown }) {
				const answer = answers(given.url, JSON.stringify(given.body));
				if (!('body' in answer)) throw new Error(`the answer to ${given.url} takes its time`);
				const headers = { 'content-type': answer.type ?? 'application/json' };
				const bytes = typeof answer.body === 'string' ? Buffer.from(answer.body) : answer.body;
				return { statusCode: 200, headers, body: inOneChunk(bytes) };
			},
		},
	};
}

async function* inOneChunk(body: Buffer) {
	yield body;
}

if (process.argv[1] === import.meta.filename)
	void leastOf(Number(process.argv[2])).then((us) => process.stdout.write(String(us)));
