import { createResponseAccumulator } from '../../../src/router/responses';

// The events of a streamed response, as the public protocol has them.

export type Event = Record<string, unknown>;
/** An event, or one that has its name on a line of its own. */
export type Given = Event | [name: string, event: Event];

export const delta = (text: unknown): Event => ({
	type: 'response.output_text.delta',
	delta: text,
});
export const done = (response?: object): Event => ({ type: 'response.completed', response });
export const message = (...content: unknown[]) => ({ type: 'message', role: 'assistant', content });
export const said = (text: string) => ({ type: 'output_text', text });
export const call = (name: string, more: object = {}) => ({
	type: 'function_call',
	call_id: `call ${name}`,
	name,
	...more,
});
export const added = (output_index: unknown, item: unknown): Event => ({
	type: 'response.output_item.added',
	output_index,
	item,
});
export const itemDone = (output_index: unknown, item: unknown): Event => ({
	...added(output_index, item),
	type: 'response.output_item.done',
});
export const fragment = (output_index: unknown, text: unknown, more: object = {}): Event => ({
	type: 'response.function_call_arguments.delta',
	output_index,
	delta: text,
	...more,
});

export function answerTo(...given: Given[]) {
	const joiner = createResponseAccumulator('asked/for');
	const readAlong = given
		.map((one) => (Array.isArray(one) ? joiner.add(one[1], one[0]) : joiner.add(one)))
		.join('');
	return { ...joiner.answer(), readAlong, whole: joiner.isComplete(), failure: joiner.failure() };
}
