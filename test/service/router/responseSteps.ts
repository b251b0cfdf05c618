import { interleaved } from './interleaved.ts';
import { outputItems, partOf, type Response } from './responseObject.ts';
import { argumentsOf, fragments } from './toolCalls.ts';

/** One event by its type. */
export interface ResponseStep {
	type: string;
	[field: string]: unknown;
}

/** How it went: whether the backend failed in the middle, or the response ends as failed. */
export type Outcome = 'whole' | 'broken' | 'failed';

/** The events of the output items, from `response.output_item.added` to `response.output_item.done`. */
export function outputSteps(response: Response): Generator<ResponseStep, Outcome> {
	return response.choice.tools.length ? callSteps(response) : messageSteps(response);
}

function* messageSteps(response: Response): Generator<ResponseStep, Outcome> {
	const { choice, plan, run, itemId } = response;
	const output_index = 0;
	const place = { item_id: itemId(output_index), output_index, content_index: 0 };
	const kind = choice.refuses ? 'refusal' : 'output_text';
	const [item] = outputItems(response);
	yield {
		type: 'response.output_item.added',
		output_index,
		item: { ...item, status: 'in_progress', content: [] },
	};
	yield { type: 'response.content_part.added', ...place, part: partOf(choice, '') };
	for (const word of choice.words) {
		if (run.words === plan.breaksAfter) return 'broken';
		run.words++;
		yield { type: `response.${kind}.delta`, ...place, delta: word };
	}
	if (plan.fails) return 'failed';
	const text = choice.words.join('');
	const whole = choice.refuses ? { refusal: text } : { text };
	yield { type: `response.${kind}.done`, ...place, ...whole };
	yield { type: 'response.content_part.done', ...place, part: partOf(choice, text) };
	yield { type: 'response.output_item.done', output_index, item: outputItems(response)[0] };
	return 'whole';
}

/** The arguments of parallel calls come in turn, as those of one completion do. */
function* callSteps(response: Response): Generator<ResponseStep, Outcome> {
	const { choice, plan, itemId, forms } = response;
	const items = outputItems(response);
	for (const [output_index, item] of items.entries()) {
		const started = { ...item, status: 'in_progress', arguments: '' };
		yield { type: 'response.output_item.added', output_index, item: started };
	}
	let sent = 0;
	const deltas = choice.tools.map((tool) => {
		if (forms.toolFragments === 'object') return [];
		return forms.toolFragments === 'whole' ? [tool.arguments] : fragments(tool.arguments);
	});
	for (const { index, piece: delta } of interleaved(deltas)) {
		if (sent++ === plan.breaksAfter) return 'broken';
		const place = { item_id: itemId(index), output_index: index };
		yield { type: 'response.function_call_arguments.delta', ...place, delta };
	}
	if (plan.fails) return 'failed';
	for (const [output_index, tool] of choice.tools.entries()) {
		const place = { item_id: itemId(output_index), output_index };
		const given = argumentsOf(tool, forms.toolFragments);
		yield { type: 'response.function_call_arguments.done', ...place, arguments: given };
		yield { type: 'response.output_item.done', output_index, item: items[output_index] };
	}
	return 'whole';
}
