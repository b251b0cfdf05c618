import { data } from '../answer.ts';
import type { Forms } from '../forms.ts';
import type { Completion } from './chat.ts';
import { errorLine } from './error.ts';
import { interleaved, fragments, type ToolCall } from './toolCalls.ts';
import type { Plan, Choice } from './plan.ts';
import type { Run } from './run.ts';
import { besideCalls, type Thought } from './thinking.ts';
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
	const end = forms.chatChunkEnd;
	const all = plan.choices.map((choice) => chatDeltas(choice));
	try {
		for (const { index, piece } of interleaved(all)) {
			const { delta, finish, before, word } = piece;
			if (before !== undefined && before === plan.breaksAfter) {
				// section 3: an error line, the end marker, and no other backend
				yield errorLine(forms.errorLine);
				run.settle();
				yield data('[DONE]');
				return;
			}
			if (word !== undefined) run.words++;
			yield chunk([{ index, delta, finish_reason: finish }], end === 'usage-in-each');
		}
		run.settle();
		// `stream_options.include_usage` is always on
		if (end === 'usage-alone') yield chunk([], true);
		yield data('[DONE]');
	} finally {
		run.settle();
	}
}

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
export function* chatDeltas(choice: Choice): Generator<Step> {
	const { thoughts, words, refuses, tools, finish, thought } = choice;
	const content = refuses || thought ? null : '';
	yield { delta: { role: 'assistant', content }, finish: null };
	for (const delta of thought?.deltas ?? []) yield { delta, finish: null };
	for (const word of thoughts) yield { delta: { reasoning_content: word }, finish: null };
	for (const [before, word] of words.entries()) {
		const delta = refuses ? { refusal: word } : { content: word };
		yield { delta, finish: null, before, word };
	}
	let before = 0;
	for (const part of toolParts(tools, thought)) {
		yield { delta: { tool_calls: [part] }, finish: null, before: before++ };
	}
	yield { delta: {}, finish };
}

/** Tool calls in fragments: their names first, then the arguments of all in turn. */
function* toolParts(tools: ToolCall[], thought: Thought | undefined): Generator<object> {
	const heads = tools.map(({ id, name }, index) => ({
		index,
		id,
		type: 'function',
		function: { name, arguments: '' },
	}));
	yield* besideCalls(heads, thought);
	const parts = interleaved(tools.map((tool) => fragments(tool.arguments)));
	for (const { index, piece } of parts) yield { index, function: { arguments: piece } };
}

/** The message of a choice that came whole. */
export function chatMessage(choice: Choice): object {
	const { thoughts, words, refuses, tools, thought } = choice;
	const text = words.join('');
	return {
		role: 'assistant',
		...(thoughts.length && { reasoning_content: thoughts.join('') }),
		content: refuses || tools.length ? null : text,
		...(refuses && { refusal: text }),
		...thought?.message,
		...(tools.length && {
			tool_calls: besideCalls(
				tools.map((tool) => ({
					id: tool.id,
					type: 'function',
					function: { name: tool.name, arguments: tool.arguments },
				})),
				thought,
			),
		}),
	};
}
