import { data } from '../answer.ts';
import type { Forms } from '../forms.ts';
import type { Completion } from './chat.ts';
import { errorLine } from './error.ts';
import { interleaved, fragments, type ToolCall } from './toolCalls.ts';
import type { Plan, Choice } from './plan.ts';
import type { Run } from './run.ts';
import { chatUsage } from './usage.ts';

/** The chunks of a streamed completion, those of its choices in turn (section 6C). */
export function* chatChunks(
	completion: Completion,
	plan: Plan,
	run: Run,
	forms: Forms,
): Generator<string> {
	const chunk = (choices: unknown[], withUsage: boolean) =>
		data({
			...completion,
			object: 'chat.completion.chunk',
			choices,
			...(withUsage && { usage: chatUsage(plan, run) }),
		});
	const isInEach = forms.chatChunkEnd === 'usage-in-each';
	try {
		for (const { index, piece } of interleaved(plan.choices.map(chatDeltas))) {
			const { delta, finish, before, isWord } = piece;
			if (before !== undefined && before === plan.breaksAfter) {
				// section 3: an error line, the end marker, and no other backend
				yield errorLine(forms.errorLine);
				run.settle();
				yield data('[DONE]');
				return;
			}
			if (isWord) run.words++;
			yield chunk([{ index, delta, finish_reason: finish }], isInEach);
		}
		run.settle();
		// `stream_options.include_usage` is always on
		if (!isInEach) yield chunk([], true);
		yield data('[DONE]');
	} finally {
		run.settle();
	}
}

/** One step of a streamed choice. */
interface Step {
	delta: object;
	finish: Choice['finish'] | null;
	/** How many words or fragments of calls came before it; absent on what is neither. */
	before?: number;
	/** A word is billed as it is sent. */
	isWord?: true;
}

/** What a choice streams: its role, its text or its tool calls, why it ended. */
function* chatDeltas({ thoughts, words, tools, finish }: Choice): Generator<Step> {
	yield { delta: { role: 'assistant', content: '' }, finish: null };
	for (const thought of thoughts) yield { delta: { reasoning_content: thought }, finish: null };
	for (const [before, content] of words.entries())
		yield { delta: { content }, finish: null, before, isWord: true };
	let before = 0;
	for (const part of toolParts(tools))
		yield { delta: { tool_calls: [part] }, finish: null, before: before++ };
	yield { delta: {}, finish };
}

/** Tool calls in fragments: their names first, then the arguments of all in turn. */
function* toolParts(tools: ToolCall[]): Generator<object> {
	for (const [index, { id, name }] of tools.entries())
		yield { index, id, type: 'function', function: { name, arguments: '' } };
	const parts = interleaved(tools.map((tool) => fragments(tool.arguments)));
	for (const { index, piece } of parts) yield { index, function: { arguments: piece } };
}

/** The message of a choice that came whole. */
export function chatMessage({ thoughts, words, tools }: Choice): object {
	return {
		role: 'assistant',
		...(thoughts.length && { reasoning_content: thoughts.join('') }),
		content: tools.length ? null : words.join(''),
		...(tools.length && {
			tool_calls: tools.map(({ id, ...called }) => ({ id, type: 'function', function: called })),
		}),
	};
}
