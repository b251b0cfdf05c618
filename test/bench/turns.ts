import { parse } from 'flatted';
import type { Editor } from '../n8n/editor.ts';
import type { NodeRun } from '../n8n/execution.ts';
import { TURNS } from './answers.ts';
import type { Sample } from './row.ts';

/** What n8n has stored of the last conversation. @throws if the speakers have not had all of their turns */
export async function inspectTurns(
	editor: Editor,
	workflowId: string,
	speakers: string[],
): Promise<Sample> {
	// it was begun before its webhook answered
	const [last] = await editor.executions(workflowId);
	const { id } = await editor.finished(String(last?.id));
	const { data } = await editor.call<{ data: string }>('GET', `/rest/executions/${id}`);
	const { resultData } = parse(data) as {
		resultData: { runData: Record<string, Array<NodeRun & { startTime: number }>> };
	};
	const runsOf = (...names: string[]) => names.flatMap((name) => resultData.runData[name] ?? []);
	const turns = runsOf(...speakers).filter((run) => run.executionStatus === 'success').length;
	if (turns !== TURNS) throw new Error(`${turns} of ${TURNS} turns: ${data.slice(-2000)}`);
	const others = runsOf(...speakers, 'Chat Model');
	const all = [...runsOf('Node'), ...others];
	const ends = all.map(({ startTime, executionTime }) => startTime + executionTime);
	const whole = Math.max(...ends) - Math.min(...all.map(({ startTime }) => startTime));
	const elsewhere = others.reduce((sum, { executionTime }) => sum + executionTime, 0);
	return {
		'turn ms': whole / TURNS,
		'engine ms': (whole - elsewhere) / TURNS,
		'stored kB': Buffer.byteLength(data) / 1000,
	};
}
