import type { IExecuteFunctions, IRunExecutionData, ISourceData } from 'n8n-workflow';

/** A run of a node, and the output of it that led on. */
export interface Origin {
	run: number;
	output: number;
}

/**
 * For a node in a loop: from which of its own runs its input descends, the newest one.
 *
 * n8n keeps of every run where its input came from. It hands a node the first step, and the rest is in the execution's data,
 * which the context holds (n8n-core 2.41.1, node-execution-context/base-execute-context.js:16).
 *
 * @returns undefined when the input comes from elsewhere; "unknown" when n8n does not tell.
 */
export function ownAncestor(n8n: IExecuteFunctions): Origin | 'unknown' | undefined {
	const { runExecutionData } = n8n as { runExecutionData?: IRunExecutionData };
	const runs = runExecutionData?.resultData?.runData;
	const source = n8n.getExecuteData().source;
	if (!runs) return 'unknown';
	const { name } = n8n.getNode();
	const seen = new Set<string>();
	let newest: Origin | undefined;
	let steps: ISourceData[] = stepsIn(source?.['main']);
	while (steps.length) {
		const further: ISourceData[] = [];
		for (const {
			previousNode,
			previousNodeRun: run = 0,
			previousNodeOutput: output = 0,
		} of steps) {
			const key = `${run} ${previousNode}`;
			if (previousNode === name) {
				if (!newest || run > newest.run) newest = { run, output };
			} else if (!seen.has(key)) {
				seen.add(key);
				further.push(...stepsIn(runs[previousNode]?.[run]?.source));
			}
		}
		steps = further;
	}
	return newest;
}

const stepsIn = (sources: ReadonlyArray<ISourceData | null> | undefined) =>
	(sources ?? []).filter((step) => step !== null);
