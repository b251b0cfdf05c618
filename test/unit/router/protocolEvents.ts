// What both text protocols stream, as their public descriptions have it.

export type Event = Record<string, unknown>;

/** A stream of events with this data. A text is sent as it is. */
export const data = (...values: unknown[]) => dataOf(values);
export const dataOf = (values: readonly unknown[]) =>
	values
		.map((value) => `data: ${typeof value === 'string' ? value : JSON.stringify(value)}\n\n`)
		.join('');
export const DONE = '[DONE]';

// chat completions

export const chunk = (delta: unknown, more: object = {}): Event => chunkOf(0, delta, more);
export const chunkOf = (index: unknown, delta: unknown, more: object = {}): Event => ({
	choices: [{ index, delta, ...more }],
});
export const says = (content: unknown, more?: object) => chunk({ content }, more);
/** A fragment of a tool call. An empty text is left out, as is an index that is undefined. */
export const part = (
	index: number | undefined,
	id = '',
	name = '',
	args: unknown = '',
	more: object = {},
): object => ({
	...(index !== undefined && { index }),
	...(id && { id }),
	function: { ...(name && { name }), ...(args !== '' && { arguments: args }) },
	...more,
});

// responses

export const delta = (text: unknown): Event => ({
	type: 'response.output_text.delta',
	delta: text,
});
export const done = (response?: unknown): Event => ({ type: 'response.completed', response });
export const message = (...content: unknown[]) => ({ type: 'message', role: 'assistant', content });
export const said = (text: string) => ({ type: 'output_text', text });
export const call = (name: string, args?: string, more: object = {}) => ({
	type: 'function_call',
	call_id: `call ${name}`,
	name,
	...more,
	...(args !== undefined && { arguments: args }),
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
export const fragment = (output_index: unknown, text: unknown, item_id?: string): Event => ({
	type: 'response.function_call_arguments.delta',
	output_index,
	delta: text,
	...(item_id && { item_id }),
});
