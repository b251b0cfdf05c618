import { isFields } from '../call.ts';
import { numberIn } from '../directives.ts';
import { markOf } from './answerText.ts';
import type { Ask } from './ask.ts';
import { exampleOf } from './example.ts';

export interface ToolCall {
	id: string;
	name: string;
	/** As JSON text. */
	arguments: string;
}

/**
 * The tools that the message (`[[tool:name]]`, `[[tools:2]]` for so many in parallel) or
 * `tool_choice` asks for. Several go through the list, from the named one on.
 *
 * @param choice Which answer they are for, from 0: each has ids and arguments of its own.
 */
export function toolCalls(ask: Ask, directives: Map<string, string>, choice: number): ToolCall[] {
	if (ask.scripted) return ask.scripted.calls;
	const tools = ask.tools.map((tool) => (isFields(tool.function) ? tool.function : tool));
	if (!tools.length || ask.toolChoice === 'none' || ask.toolResult !== undefined) return [];
	const chosen = isFields(ask.toolChoice) ? ask.toolChoice : {};
	const named =
		directives.get('tool') ?? (isFields(chosen.function) ? chosen.function.name : chosen.name);
	const count = numberIn(directives, 'tools');
	const asked = count !== undefined || directives.has('tool') || ask.toolChoice === 'required';
	const found = tools.findIndex((tool) => tool.name === named);
	if (found < 0 && !asked) return [];
	return Array.from({ length: count ?? 1 }, (_, index) => {
		const tool = tools[(Math.max(0, found) + index) % tools.length] ?? {};
		const text = (index ? `#${index + 1} ` : '') + markOf(choice) + ask.message;
		const given = exampleOf(tool.parameters ?? { type: 'object' }, text);
		return {
			id: `call_${choice ? `${choice + 1}_` : ''}${index + 1}`,
			name: String(tool.name),
			arguments: JSON.stringify(given),
		};
	});
}

/** What a call costs: its name is one token. */
export const tokensOf = (calls: ToolCall[]): number =>
	calls.reduce((sum, call) => sum + Math.ceil(call.arguments.length / 4) + 1, 0);

/** Arguments a few characters at a time. */
export const fragments = (text: string): string[] => text.match(/[^]{1,5}/gu) ?? [];

/** Takes one piece from each source in turn, until all are at their end. */
export function* interleaved<T>(
	sources: Array<Iterable<T>>,
): Generator<{ index: number; piece: T }> {
	let open = sources.map((source, index) => ({ index, rest: source[Symbol.iterator]() }));
	while (open.length) {
		const still: typeof open = [];
		for (const source of open) {
			const { value, done } = source.rest.next();
			if (done) continue;
			still.push(source);
			yield { index: source.index, piece: value };
		}
		open = still;
	}
}
