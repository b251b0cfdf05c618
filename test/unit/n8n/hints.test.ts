import type { IExecuteFunctions, NodeExecutionHint } from 'n8n-workflow';

import { hintBoard } from '../../../src/n8n/hints';

function board() {
	const shown: NodeExecutionHint[] = [];
	const addExecutionHints = (...hints: NodeExecutionHint[]) => void shown.push(...hints);
	return { shown, ...hintBoard({ addExecutionHints } as unknown as IExecuteFunctions) };
}

it.each<[string, string[], string[]]>([
	['nothing', [], []],
	['one sentence', ['A.'], ['A.']],
	['several', ['A.', 'B.'], ['A.', 'B.']],
	['one of many items', ['A.', 'A.', 'A.'], ['3 items: A.']],
	['all in the order in which they came first', ['B.', 'A.', 'B.'], ['2 items: B.', 'A.']],
	['a sentence of JavaScript', ['constructor', '__proto__'], ['constructor', '__proto__']],
])('shows %s', (_name, sentences, messages) => {
	const { add, show, shown } = board();
	sentences.forEach(add);
	expect(shown).toEqual([]);
	show();
	expect(shown).toEqual(
		messages.map((message) => ({ message, type: 'warning', location: 'outputPane' })),
	);
});
