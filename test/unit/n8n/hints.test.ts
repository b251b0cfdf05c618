import type { IExecuteFunctions, NodeExecutionHint } from 'n8n-workflow';

import { createHintCollector } from '../../../src/n8n/hints';
import { createRedactor } from '../../../src/n8n/redact';

const ECHOED = 'key-4f0c9d217ab3';

it.each([
	['nothing', [], []],
	['one sentence', ['A.'], ['A.']],
	['several', ['A.', 'B.'], ['A.', 'B.']],
	['one of many items', ['A.', 'A.', 'A.'], ['3 items: A.']],
	['all in the order in which they came first', ['B.', 'A.', 'B.'], ['2 items: B.', 'A.']],
	[
		'two that differ in the key only',
		[`A ${ECHOED}.`, `A ${ECHOED.toUpperCase()}.`],
		['2 items: A ***.'],
	],
	['a sentence of JavaScript', ['constructor', '__proto__'], ['constructor', '__proto__']],
])('hints show %s', (_name, sentences, messages) => {
	const shown: NodeExecutionHint[] = [];
	const addExecutionHints = (...hints: NodeExecutionHint[]) => void shown.push(...hints);
	const n8n = { addExecutionHints } as Partial<IExecuteFunctions> as IExecuteFunctions;
	const { add, show } = createHintCollector(n8n, createRedactor(ECHOED));
	sentences.forEach(add);
	expect(shown).toEqual([]);
	show();
	expect(shown).toEqual(
		messages.map((message) => ({ message, type: 'warning', location: 'outputPane' })),
	);
});
