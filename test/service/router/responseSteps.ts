import { interleaved, fragments } from './toolCalls.ts';
import {
	callItems,
	messageItem,
	partOf,
	placeOf,
	reasoningItem,
	type Response,
} from './responseObject.ts';

/** One event by its type. */
export interface ResponseStep {
	type: string;
	[field: string]: unknown;
}

/** How it went: whether the backend failed in the middle. */
export type Outcome = 'whole' | 'broken';

/** The events of the output items, from `response.output_item.added` to `response.output_item.done`. */
export function* outputSteps(response: Response): Generator<ResponseStep, Outcome> {
	if (placeOf(response)) yield* reasoningSteps(response);
	return yield* response.choice.tools.length ? callSteps(response) : messageSteps(response);
}

function* reasoningSteps(response: Response): Generator<ResponseStep> {
	const item = reasoningItem(response);
	const output_index = 0;
	const place = { item_id: item.id, output_index, summary_index: 0 };
	const type = 'response.reasoning_summary';
	const started = { ...item, summary: [] };
	const [part] = item.summary;
	yield { type: 'response.output_item.added', output_index, item: started };
	if (part) {
		yield { type: `${type}_part.added`, ...place, part: { ...part, text: '' } };
		for (const delta of response.choice.thoughts) {
			yield { type: `${type}_text.delta`, ...place, delta };
		}
		yield { type: `${type}_text.done`, ...place, text: part.text };
		yield { type: `${type}_part.done`, ...place, part };
	}
	yield { type: 'response.output_item.done', output_index, item };
}

function* messageSteps(response: Response): Generator<ResponseStep, Outcome> {
	const { choice, plan, run } = response;
	const output_index = placeOf(response);
	const item = messageItem(response);
	const place = { item_id: item.id, output_index, content_index: 0 };
	const kind = choice.refuses ? 'refusal' : 'output_text';
	const started = { ...item, status: 'in_progress', content: [] };
	yield { type: 'response.output_item.added', output_index, item: started };
	yield { type: 'response.content_part.added', ...place, part: partOf(choice, '') };
	for (const word of choice.words) {
		if (run.words === plan.breaksAfter) return 'broken';
		run.words++;
		yield { type: `response.${kind}.delta`, ...place, delta: word };
	}
	const text = choice.words.join('');
	const whole = choice.refuses ? { refusal: text } : { text };
	yield { type: `response.${kind}.done`, ...place, ...whole };
	yield { type: 'response.content_part.done', ...place, part: partOf(choice, text) };
	yield { type: 'response.output_item.done', output_index, item: messageItem(response) };
	return 'whole';
}

/** The arguments of parallel calls come in turn, as those of one completion do. */
function* callSteps(response: Response): Generator<ResponseStep, Outcome> {
	const { choice, plan } = response;
	const calls = callItems(response).map((item, index) => {
		const output_index = placeOf(response) + index;
		return { item, output_index, place: { item_id: item.id, output_index } };
	});
	for (const { item, output_index } of calls) {
		const started = { ...item, status: 'in_progress', arguments: '' };
		yield { type: 'response.output_item.added', output_index, item: started };
	}
	let sent = 0;
	const deltas = choice.tools.map((tool) => fragments(tool.arguments));
	for (const { index, piece: delta } of interleaved(deltas)) {
		if (sent++ === plan.breaksAfter) return 'broken';
		yield { type: 'response.function_call_arguments.delta', ...calls[index]?.place, delta };
	}
	for (const { item, output_index, place } of calls) {
		const { arguments: given } = item;
		yield { type: 'response.function_call_arguments.done', ...place, arguments: given };
		yield { type: 'response.output_item.done', output_index, item };
	}
	return 'whole';
}
