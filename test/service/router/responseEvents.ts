import { data, event } from '../answer.ts';
import { fragments } from './chatChunks.ts';
import { outputItem, responseObject, type Response } from './responseObject.ts';

/**
 * The events of a streamed response. Section 6C names `response.output_text.delta` and
 * `response.completed`; those around them are the ones of the public protocol.
 */
export function* responseEvents(
	response: Response,
	incomplete: 'completed' | 'incomplete',
): Generator<string> {
	const { plan, run, itemId } = response;
	let number = 0;
	const named = (type: string, fields: object) =>
		event(type, { type, sequence_number: number++, ...fields });
	const part = { item_id: itemId, output_index: 0, content_index: 0 };
	try {
		yield named('response.created', { response: responseObject(response, 'running') });
		yield named('response.in_progress', { response: responseObject(response, 'running') });
		yield named('response.output_item.added', { output_index: 0, item: started(response) });
		if (!plan.tool) {
			const empty = { type: 'output_text', text: '', annotations: [] };
			yield named('response.content_part.added', { ...part, part: empty });
		}
		for (const word of plan.words) {
			if (run.words === plan.breaksAfter) {
				yield data({ error: { code: 'backend_error', message: 'The backend failed' } });
				run.settle();
				yield data('[DONE]');
				return;
			}
			run.words++;
			yield named('response.output_text.delta', { ...part, delta: word });
		}
		if (plan.fails) {
			run.settle();
			yield named('response.failed', { response: responseObject(response, 'failed') });
			yield data('[DONE]');
			return;
		}
		if (plan.tool) {
			const { item_id, output_index } = part;
			for (const delta of fragments(plan.tool.arguments)) {
				yield named('response.function_call_arguments.delta', { item_id, output_index, delta });
			}
			const given = { arguments: plan.tool.arguments };
			yield named('response.function_call_arguments.done', { item_id, output_index, ...given });
		} else {
			const text = plan.words.join('');
			yield named('response.output_text.done', { ...part, text });
			const whole = { type: 'output_text', text, annotations: [] };
			yield named('response.content_part.done', { ...part, part: whole });
		}
		const cut = plan.finish === 'length' || plan.finish === 'content_filter';
		const item = outputItem(response, cut);
		yield named('response.output_item.done', { output_index: 0, item });
		run.settle();
		const last = cut && incomplete === 'incomplete' ? 'response.incomplete' : 'response.completed';
		yield named(last, { response: responseObject(response, 'done') });
		yield data('[DONE]');
	} finally {
		run.settle();
	}
}

/** The output item before it holds anything. */
function started(response: Response): object {
	const item = { ...outputItem(response), status: 'in_progress' };
	return 'arguments' in item ? { ...item, arguments: '' } : { ...item, content: [] };
}
