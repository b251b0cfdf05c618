import { data } from '../answer.ts';
import type { Completion } from './chat.ts';
import type { Plan } from './plan.ts';
import type { Run } from './run.ts';
import { chatUsage } from './usage.ts';

/** The chunks of a streamed completion (section 6C). */
export function* chatChunks(
	completion: Completion,
	plan: Plan,
	run: Run,
	choices: number,
): Generator<string> {
	const chunk = (list: unknown[], more: object = {}) =>
		data({ ...completion, object: 'chat.completion.chunk', choices: list, ...more });
	const delta = (index: number, part: object, finish: string | null = null) =>
		chunk([{ index, delta: part, finish_reason: finish }]);
	try {
		for (let index = 0; index < choices; index++)
			yield delta(index, { role: 'assistant', content: '' });
		for (const word of plan.words) {
			if (run.words === plan.breaksAfter) {
				// section 3: an error line, the end marker, and no other backend
				yield data({ error: { code: 'backend_error', message: 'The backend failed' } });
				run.settle();
				yield data('[DONE]');
				return;
			}
			run.words++;
			for (let index = 0; index < choices; index++) yield delta(index, { content: word });
		}
		for (let index = 0; index < choices; index++) {
			for (const part of toolParts(plan)) yield delta(index, { tool_calls: [part] });
			yield delta(index, {}, plan.finish);
		}
		run.settle();
		// `stream_options.include_usage` is always on
		yield chunk([], { usage: chatUsage(plan, run, choices) });
		yield data('[DONE]');
	} finally {
		run.settle();
	}
}

/** A tool call in fragments: its name first, then its arguments a few characters at a time. */
function* toolParts({ tool }: Plan): Generator<object> {
	if (!tool) return;
	const { id, name } = tool;
	yield { index: 0, id, type: 'function', function: { name, arguments: '' } };
	for (const part of fragments(tool.arguments)) {
		yield { index: 0, function: { arguments: part } };
	}
}

export const fragments = (text: string): string[] => text.match(/[^]{1,5}/gu) ?? [];
