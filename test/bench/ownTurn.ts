// What the conversation node takes for one turn by itself: n8n's engine and the speakers are left out. `node test/bench/ownTurn.ts`
// prints microseconds per turn, of conversations of 50 turns.
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { turnCount, turnSize } from './answers.ts';

interface Asked {
	actions: Array<{ id: string; nodeName: string; input: object }>;
	metadata: object;
}

type Execute = (this: object, response: object) => Promise<Asked | unknown[][]>;

void measure();

/** The least of many short runs: whatever else the machine does only adds to it. */
async function measure(): Promise<void> {
	const file = join(
		import.meta.dirname,
		'../../dist/nodes/AgentConversation/AgentConversation.node.js',
	);
	const { AgentConversation } = createRequire(import.meta.url)(file) as {
		AgentConversation: new () => { execute: Execute };
	};
	const { execute } = new AgentConversation();
	let least = Infinity;
	for (let run = 0; run < 300; run++) {
		const execution = executionOf();
		let spent = 0;
		let response: object = {};
		for (let turn = 0; ; turn++) {
			const started = performance.now();
			const result = await execute.call(execution, response);
			spent += performance.now() - started;
			if (!Array.isArray(result)) {
				response = answersTo(result, turn);
				continue;
			}
			if (turn === turnCount && JSON.stringify(result).includes('answer')) break;
			throw new Error(`${turn} turns: ${JSON.stringify(result)}`);
		}
		least = Math.min(least, spent);
	}
	process.stdout.write(String((least * 1000) / turnCount));
}

/** What n8n gives back once it has run the speakers. */
function answersTo({ actions, metadata }: Asked, turn: number): object {
	const output = `answer ${turn} `.padEnd(turnSize, 'x');
	const data = { executionStatus: 'success', data: { ai_tool: [[{ json: { output } }]] } };
	return { actionResponses: actions.map((action) => ({ action, data })), metadata };
}

/** As much of n8n's execution context as the node uses. */
function executionOf(): object {
	const parameters: Record<string, unknown> = {
		openingMessageSource: 'define',
		openingMessage: 'message-0',
		turnLimit: turnCount,
	};
	const speakers = ['Tester', 'Planner'].map((name) => ({
		name,
		type: 'n8n-nodes-agent-bridge.workspaceAgentTool',
		disabled: false,
	}));
	const tools = speakers.map(({ name }) => ({
		name,
		schema: { shape: { Message: {} } },
		metadata: { sourceNodeName: name },
	}));
	const source = { main: [{ previousNode: 'Items' }] };
	const stored = new Map<string, string>();
	const stop = new AbortController().signal;
	const nothing = () => undefined;
	return {
		runExecutionData: { resultData: { runData: {} } },
		getInputData: () => [{ json: { text: 'message-0' } }],
		getNode: () => ({
			name: 'Node',
			type: 'n8n-nodes-agent-bridge.agentConversation',
			parameters,
		}),
		getNodeParameter: (name: string, _item: number, fallback: unknown) =>
			parameters[name] ?? fallback,
		getParentNodes: (_name: string, options?: { connectionType?: string }) =>
			options?.connectionType === 'ai_tool' ? speakers : [],
		getInputConnectionData: async () => tools,
		getExecuteData: () => ({ source }),
		getWorkflowSettings: () => ({ executionOrder: 'v1' }),
		getExecutionCancelSignal: () => stop,
		getExecutionId: () => '1',
		customData: {
			get: (key: string) => stored.get(key),
			set: (key: string, value: string) => void stored.set(key, value),
		},
		continueOnFail: () => false,
		isStreaming: () => false,
		getChatTrigger: nothing,
		addExecutionHints: nothing,
		logger: { debug: nothing, info: nothing, warn: nothing, error: nothing },
	};
}
