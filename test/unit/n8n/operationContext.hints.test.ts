import type { IExecuteFunctions, NodeExecutionHint } from 'n8n-workflow';

import { createHintCollector } from '../../../src/n8n/operationContext';
import { createRedactor } from '../../../src/n8n/redact';

function board() {
	const shown: NodeExecutionHint[] = [];
	const addExecutionHints = (...hints: NodeExecutionHint[]) => void shown.push(...hints);
	const n8n = { addExecutionHints } as unknown as IExecuteFunctions;
	return { shown, ...createHintCollector(n8n, createRedactor('key-4f0c9d21')) };
}

it.each<[string, string[], string[]]>([
	['nothing', [], []],
	['one sentence', ['A.'], ['A.']],
	['several', ['A.', 'B.'], ['A.', 'B.']],
	['one of many items', ['A.', 'A.', 'A.'], ['3 items: A.']],
	['all in the order in which they came first', ['B.', 'A.', 'B.'], ['2 items: B.', 'A.']],
	['two that differ in the key only', ['A key-4f0c9d21.', 'A KEY-4F0C9D21.'], ['2 items: A ***.']],
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
