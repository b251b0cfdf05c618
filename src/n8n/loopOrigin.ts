import type { IExecuteFunctions, ISourceData } from 'n8n-workflow';

import { getRunData } from './platform';

/** A run of a node, and the output of it that led on. */
interface LoopOrigin {
	run: number;
	output: number;
}

/**
 * For a node in a loop: the newest of its own runs that its input descends from.
 *
 * n8n stores for every run where its input came from. It gives a node the first step; the others are in the execution's data.
 *
 * @returns undefined when the input comes from elsewhere; "unknown" when n8n does not give the execution's data.
 */
export function findLoopOrigin(n8n: IExecuteFunctions): LoopOrigin | 'unknown' | undefined {
	const runs = getRunData(n8n);
	const source = n8n.getExecuteData().source;
	if (!runs) return 'unknown';
	const { name } = n8n.getNode();
	const seen = new Set<string>();
	let newest: LoopOrigin | undefined;
	let steps: ISourceData[] = presentSources(source?.['main']);
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
				further.push(...presentSources(runs[previousNode]?.[run]?.source));
			}
		}
		steps = further;
	}
	return newest;
}

const presentSources = (sources: ReadonlyArray<ISourceData | null> | undefined) =>
	(sources ?? []).filter((step) => step !== null);
