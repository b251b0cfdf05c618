import type { IExecuteFunctions, ISourceData } from 'n8n-workflow';

import { findLoopOrigin } from '../../../src/n8n/loopOrigin';

type Source = Array<ISourceData | null> | undefined;
const from = (previousNode: string, previousNodeRun?: number, previousNodeOutput?: number) => ({
	previousNode,
	...(previousNodeRun !== undefined && { previousNodeRun }),
	...(previousNodeOutput !== undefined && { previousNodeOutput }),
});

/** The node Own, with input from `source`; `runs` tell where those of other nodes had theirs from. */
const ancestor = (source: Source, runs: Record<string, Source[]> = {}, known = true) => {
	const runData = Object.fromEntries(
		Object.entries(runs).map(([name, sources]) => [
			name,
			sources.map((each) => ({ source: each })),
		]),
	);
	return findLoopOrigin({
		getNode: () => ({ name: 'Own' }),
		getExecuteData: () => ({ source: source ? { main: source } : null }),
		...(known && { runExecutionData: { resultData: { runData } } }),
	} as unknown as IExecuteFunctions);
};

it.each<[string, Source, Record<string, Source[]>, object | undefined]>([
	['nothing', undefined, {}, undefined],
	['an input without data', [null], {}, undefined],
	['another node', [from('Start')], { Start: [[]] }, undefined],
	['a node whose runs are gone', [from('A', 3)], {}, undefined],
	['itself', [from('Own', 2, 1)], {}, { run: 2, output: 1 }],
	['itself, in its first run', [from('Own')], {}, { run: 0, output: 0 }],
	[
		'a node after it',
		[from('A', 1)],
		{ A: [[from('Own', 0)], [from('Own', 4, 2)]] },
		{ run: 4, output: 2 },
	],
	[
		'a chain',
		[from('B', 0, 1)],
		{ B: [[from('A')]], A: [[from('Own', 1, 1)]] },
		{ run: 1, output: 1 },
	],
	[
		'several branches: the newest run counts',
		[from('A'), from('B'), null],
		{ A: [[from('Start'), from('Own', 5)]], B: [[from('Own', 3, 1)]] },
		{ run: 5, output: 0 },
	],
	['a circle of others', [from('A')], { A: [[from('B')]], B: [[from('A')]] }, undefined],
])('from %s', (_what, source, runs, expected) => {
	expect(ancestor(source, runs)).toEqual(expected);
});

it('an n8n that does not tell', () => {
	expect(ancestor([from('Own')], {}, false)).toBe('unknown');
});
