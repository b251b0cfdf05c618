import { parse } from 'flatted';
import type { Editor } from '../n8n/editor.ts';
import type { NodeRun } from '../n8n/execution.ts';
import type { WorkflowNode } from '../n8n/workflow.ts';
import { models, turnCount } from './answers.ts';
import type { Nodes } from './nodesUnderTest.ts';
import { call, type Row } from './row.ts';
import { bodyOf, benchWorkflow } from './workflows.ts';

/** What the stored execution says of its turns. */
export interface TurnFigures {
	/** Milliseconds of a turn, from the first run of the tested node to its last. */
	turn: number;
	/** The same without the speakers and the model: the tested node and n8n's engine. */
	engine: number;
	/** Kilobytes of the stored data. */
	stored: number;
}

/** Conversations between two speakers who answer at once. */
export function turnRows(n8n: string, nodes: Nodes): Row[] {
	const speakers = ['Planner', 'Tester'].map((name) => nodes.speaker(name));
	return [
		turnRow(n8n, { name: 'ours: conversation', tested: nodes.conversation(), speakers }),
		turnRow(n8n, {
			name: 'AI Agent, the speakers as its tools',
			tested: nodes.agent('={{ $json.text }}', turnCount + 10),
			speakers: ['Planner', 'Tester'].map((name) => nodes.speaker(name, { sessionMode: 'new' })),
			chatModel: nodes.chatModel(models.talk),
		}),
	];
}

interface Talk {
	name: string;
	tested: WorkflowNode;
	speakers: WorkflowNode[];
	chatModel?: WorkflowNode;
}

function turnRow(n8n: string, { name, tested, speakers, chatModel }: Talk): Row {
	const path = `turns-${name}`.replace(/\W+/g, '-');
	const run = async () => void (await call(`${n8n}/webhook/${path}`, bodyOf(1)));
	const others = [...speakers, ...(chatModel ? [chatModel] : [])].map((each) => each.name);
	let inspect = async (): Promise<TurnFigures> => {
		throw new Error(`${name} was not prepared`);
	};
	return {
		job: 'turns',
		name,
		of: 'n8n',
		times: 1,
		once: false,
		async prepare(editor) {
			const file = benchWorkflow(path, tested, {
				tools: speakers,
				...(chatModel && { chatModel }),
				saved: true,
			});
			const saved = await editor.importWorkflow(file);
			await editor.activate(saved);
			inspect = async () => figuresOf(await lastExecution(editor, saved.id), tested.name, others);
		},
		async check() {
			await run();
			await inspect();
		},
		run,
		inspect: async () => await inspect(),
	};
}

/** The data of the last execution as n8n has stored it. */
async function lastExecution(editor: Editor, workflowId: string): Promise<string> {
	// it was begun before its webhook answered
	const [last] = await editor.executions(workflowId);
	const { id } = await editor.finished(String(last?.id));
	return (await editor.call<{ data: string }>('GET', `/rest/executions/${id}`)).data;
}

/** @throws if the speakers have not had all of their turns. */
function figuresOf(data: string, tested: string, others: string[]): TurnFigures {
	const { resultData } = parse(data) as {
		resultData: { runData: Record<string, Array<NodeRun & { startTime: number }>> };
	};
	const runsOf = (names: string[]) => names.flatMap((name) => resultData.runData[name] ?? []);
	const turns = runsOf(others.slice(0, 2)).filter((run) => run.executionStatus === 'success');
	if (turns.length !== turnCount)
		throw new Error(`${turns.length} of ${turnCount} turns: ${data.slice(-2000)}`);
	const all = runsOf([tested, ...others]);
	const ends = all.map(({ startTime, executionTime }) => startTime + executionTime);
	const whole = Math.max(...ends) - Math.min(...all.map(({ startTime }) => startTime));
	const elsewhere = runsOf(others).reduce((sum, { executionTime }) => sum + executionTime, 0);
	return {
		turn: whole / turnCount,
		engine: (whole - elsewhere) / turnCount,
		stored: Buffer.byteLength(data) / 1000,
	};
}
