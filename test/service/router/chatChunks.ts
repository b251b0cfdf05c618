import { data } from '../answer.ts';
import type { Completion } from './chat.ts';
import { chatDeltas } from './chatDeltas.ts';
import { interleaved } from './interleaved.ts';
import type { Plan } from './plan.ts';
import type { Run } from './run.ts';
import { chatUsage } from './usage.ts';

/** The chunks of a streamed completion, those of its choices in turn (section 6C). */
export function* chatChunks(completion: Completion, plan: Plan, run: Run): Generator<string> {
	const chunk = (choices: unknown[], more: object = {}) =>
		data({ ...completion, object: 'chat.completion.chunk', choices, ...more });
	try {
		for (const { index, piece } of interleaved(plan.choices.map(chatDeltas))) {
			if (piece.before !== undefined && piece.before === plan.breaksAfter) {
				// section 3: an error line, the end marker, and no other backend
				yield data({ error: { code: 'backend_error', message: 'The backend failed' } });
				run.settle();
				yield data('[DONE]');
				return;
			}
			if (piece.isWord) run.words++;
			yield chunk([{ index, delta: piece.delta, finish_reason: piece.finish }]);
		}
		run.settle();
		// `stream_options.include_usage` is always on
		yield chunk([], { usage: chatUsage(plan, run) });
		yield data('[DONE]');
	} finally {
		run.settle();
	}
}
