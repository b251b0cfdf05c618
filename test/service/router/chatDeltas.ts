import type { Forms } from '../forms.ts';
import { interleaved } from './interleaved.ts';
import type { Choice } from './plan.ts';
import { argumentsOf, fragments, type ToolCall } from './toolCalls.ts';

/** One step of a streamed choice. */
export interface Step {
	delta: object;
	finish: Choice['finish'] | null;
	/** How many words or fragments of calls came before it; absent on what is neither. */
	before?: number;
	/** The word that it is, which is billed as it is sent. */
	word?: string;
}

/** What a choice streams: its role, its text or its tool calls, why it ended. */
export function* chatDeltas(choice: Choice, forms: Forms): Generator<Step> {
	const { thoughts, words, refuses, tools, finish } = choice;
	yield { delta: { role: 'assistant', content: refuses ? null : '' }, finish: null };
	for (const thought of thoughts) yield { delta: { reasoning_content: thought }, finish: null };
	for (const [before, word] of words.entries()) {
		const delta = refuses ? { refusal: word } : { content: word };
		yield { delta, finish: null, before, word };
	}
	let before = 0;
	for (const part of toolParts(tools, forms.toolFragments)) {
		yield { delta: { tool_calls: [part] }, finish: null, before: before++ };
	}
	yield { delta: {}, finish };
}

/** Tool calls in fragments: their names first, then the arguments of all in turn. */
function* toolParts(tools: ToolCall[], form: Forms['toolFragments']): Generator<object> {
	const inParts = form === 'strings';
	for (const [index, tool] of tools.entries()) {
		const { id, name } = tool;
		const given = inParts ? '' : argumentsOf(tool, form);
		yield { index, id, type: 'function', function: { name, arguments: given } };
	}
	if (!inParts) return;
	const parts = interleaved(tools.map((tool) => fragments(tool.arguments)));
	for (const { index, piece } of parts) yield { index, function: { arguments: piece } };
}
