// What our nodes take by themselves: n8n's engine, its request helper, its expressions and the speakers are left out. In a
// real n8n this drowns in what those take. Each figure comes from a process of its own, in which nothing else has run.
import { execFile } from 'node:child_process';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { answersOf, models, TURNS } from './answers.ts';
import type { Host } from './hosts.ts';
import type { Samples } from './row.ts';

/** Microseconds per item of 100. */
export const measureOwnShare = async (host: Host) => await measured(host, 'share');
/** Microseconds per turn of a conversation of `TURNS`. */
export const measureOwnTurn = async (host: Host) => await measured(host, 'turn');

async function measured({ sizes }: Host, what: keyof typeof programs): Promise<Samples> {
	const flags = ['--disable-warning=MODULE_TYPELESS_PACKAGE_JSON'];
	const args = [...flags, import.meta.filename, what, String(sizes.ownRuns)];
	const { stdout } = await promisify(execFile)(process.execPath, args);
	return { ours: [{ 'own us': Number(stdout) }] };
}

const programs = { share: timeOfItem, turn: timeOfTurn };

const items = Array.from({ length: 100 }, (_, n) => ({ json: { text: `message-${n}` } }));

async function timeOfItem(): Promise<number> {
	const { ModelRouter } = built<{
		ModelRouter: new () => { execute(this: object): Promise<unknown[][]> };
	}>('ModelRouter');
	const answers = answersOf(0);
	const messages = (item: number) => ({
		message: [{ role: 'user', content: items[item]?.json.text }],
	});
	const parameters = {
		...{ resource: 'text', operation: 'message', inputType: 'list' },
		model: { __rl: true, mode: 'id', value: models.short },
		// one at a time: the others would only wait for their turn to begin
		requestSettings: { concurrency: 1 },
	};
	const context = {
		...contextOf('modelRouter', {
			...parameters,
			messages: { message: [{ content: '={{ $json.text }}' }] },
		}),
		getInputData: () => items,
		getNodeParameter: (name: string, item: number, fallback: unknown) =>
			name === 'messages' ? messages(item) : (Object(parameters)[name] ?? fallback),
		helpers: {
			async httpRequestWithAuthentication(_type: string, given: { url: string; body: unknown }) {
				const answer = answers(given.url, JSON.stringify(given.body));
				if (!('body' in answer)) throw new Error(`the answer to ${given.url} takes its time`);
				const headers = { 'content-type': answer.type ?? 'application/json' };
				return { statusCode: 200, headers, body: inOneChunk(Buffer.from(answer.body)) };
			},
		},
	};
	const node = new ModelRouter();
	// what an execution remembers belongs to it alone
	const [remembered, executeData] = [{}, {}];
	const execution = { getContext: () => remembered, getExecuteData: () => executeData };
	const started = performance.now();
	const [output] = await node.execute.call({ ...context, ...execution });
	const spent = performance.now() - started;
	if (!/answer/.test(JSON.stringify(output?.at(-1)))) throw new Error('no answer came');
	return spent / items.length;
}

async function* inOneChunk(body: Buffer) {
	yield body;
}

interface Asked {
	actions: Array<{ id: string; nodeName: string; input: object }>;
	metadata: object;
}

async function timeOfTurn(): Promise<number> {
	const { AgentConversation } = built<{
		AgentConversation: new () => {
			execute(this: object, response: object): Promise<Asked | unknown[][]>;
		};
	}>('AgentConversation');
	const speakers = ['Tester', 'Planner'].map((name) => ({
		...{ name, type: 'n8n-nodes-agent-bridge.workspaceAgentTool', disabled: false },
	}));
	const tools = speakers.map(({ name }) => ({
		...{ name, schema: { shape: { Message: {} } }, metadata: { sourceNodeName: name } },
	}));
	const execution = {
		...contextOf('agentConversation', {
			...{ openingMessageSource: 'define', openingMessage: 'message-0', turnLimit: TURNS },
		}),
		getInputData: () => items.slice(0, 1),
		getParentNodes: (_name: string, options?: { connectionType?: string }) =>
			options?.connectionType === 'ai_tool' ? speakers : [],
		getInputConnectionData: async () => tools,
	};
	const { execute } = new AgentConversation();
	let [spent, response] = [0, {}];
	for (let turn = 0; ; turn++) {
		const started = performance.now();
		const result = await execute.call(execution, response);
		spent += performance.now() - started;
		if (Array.isArray(result)) {
			if (turn !== TURNS || !JSON.stringify(result).includes('answer'))
				throw new Error(`${turn} turns: ${JSON.stringify(result)}`);
			return spent / TURNS;
		}
		response = answersTo(result, turn);
	}
}

/** What n8n gives back once it has run the speakers. */
function answersTo({ actions, metadata }: Asked, turn: number): object {
	const output = `answer ${turn} `.padEnd(100, 'x');
	const data = { executionStatus: 'success', data: { ai_tool: [[{ json: { output } }]] } };
	return { actionResponses: actions.map((action) => ({ action, data })), metadata };
}

function built<Module>(name: string): Module {
	const file = join(import.meta.dirname, `../../dist/nodes/${name}/${name}.node.js`);
	return createRequire(import.meta.url)(file) as Module;
}

/** As much of n8n's execution context as our nodes use, with everything there at once. */
function contextOf(type: string, parameters: Record<string, unknown>): object {
	const stored = new Map<string, string>();
	const stop = new AbortController().signal;
	const nothing = () => undefined;
	return {
		runExecutionData: { resultData: { runData: {} } },
		getNode: () => ({
			...{ name: 'Node', type: `n8n-nodes-agent-bridge.${type}`, parameters },
			credentials: { modelRouterApi: { id: '1' } },
		}),
		getNodeParameter: (name: string, _item: number, fallback: unknown) =>
			parameters[name] ?? fallback,
		getCredentials: async () => ({ baseUrl: 'http://127.0.0.1:1', apiKey: 'a-key-of-the-bench' }),
		getExecuteData: () => ({ source: { main: [{ previousNode: 'Items' }] } }),
		getWorkflowSettings: () => ({ executionOrder: 'v1' }),
		getExecutionCancelSignal: () => stop,
		getExecutionId: () => '1',
		customData: {
			get: (key: string) => stored.get(key),
			set: (key: string, value: string) => void stored.set(key, value),
		},
		continueOnFail: () => false,
		isStreaming: () => false,
		...{ getChatTrigger: nothing, addExecutionHints: nothing, setMetadata: nothing },
		logger: { debug: nothing, info: nothing, warn: nothing, error: nothing },
	};
}

/** The least of many short runs: whatever else the machine does only adds to it. */
async function tell(what: keyof typeof programs, runs: number): Promise<void> {
	let least = Infinity;
	for (let run = 0; run < runs; run++) least = Math.min(least, await programs[what]());
	process.stdout.write(String(least * 1000));
}

if (process.argv[1] === import.meta.filename)
	void tell(process.argv[2] === 'turn' ? 'turn' : 'share', Number(process.argv[3]));
