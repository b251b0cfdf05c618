import { data } from '../answer.ts';
import type { Forms } from '../forms.ts';
import type { Completion } from './chat.ts';
import { chatDeltas } from './chatDeltas.ts';
import { errorLine } from './errorLine.ts';
import { interleaved } from './interleaved.ts';
import { logprobsOf } from './logprobs.ts';
import type { Plan } from './plan.ts';
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
			...(withUsage && { usage: chatUsage(plan, run, forms) }),
		});
	/** Each chunk has the field when it was asked for, if there is a word or not. */
	const likely = (word: string | undefined, index: number) => {
		if (plan.logprobs === undefined) return {};
		const words = word === undefined ? [] : [word];
		const refuses = plan.choices[index]?.refuses ?? false;
		return { logprobs: logprobsOf(words, refuses, plan.logprobs) };
	};
	const end = forms.chatChunkEnd;
	let open = plan.choices.length;
	const all = plan.choices.map((choice) => chatDeltas(choice, forms));
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
			if (finish) open--;
			const isLast = open === 0 && end === 'usage-with-finish';
			const choice = { index, delta, ...likely(word, index), finish_reason: finish };
			yield chunk([choice], isLast || end === 'usage-in-each');
		}
		run.settle();
		// `stream_options.include_usage` is always on
		if (end === 'usage-alone') yield chunk([], true);
		yield data('[DONE]');
	} finally {
		run.settle();
	}
}
