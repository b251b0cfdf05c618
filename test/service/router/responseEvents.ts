import { data, event } from '../answer.ts';
import { isCut, responseObject, type Response } from './responseObject.ts';
import { outputSteps, type Outcome, type ResponseStep } from './responseSteps.ts';

/**
 * The events of a streamed response. Section 6C names `response.output_text.delta` and
 * `response.completed`; those around them are the ones of the public protocol.
 */
export function* responseEvents(
	response: Response,
	incomplete: 'completed' | 'incomplete',
): Generator<string> {
	const { choice, run } = response;
	let number = 0;
	const written = ({ type, ...fields }: ResponseStep) =>
		event(type, { type, sequence_number: number++, ...fields });
	try {
		const running = { response: responseObject(response, 'running') };
		yield written({ type: 'response.created', ...running });
		yield written({ type: 'response.in_progress', ...running });
		const steps = outputSteps(response);
		let outcome: Outcome | undefined;
		while (!outcome) {
			const step = steps.next();
			if (step.done) outcome = step.value;
			else yield written(step.value);
		}
		run.settle();
		if (outcome === 'broken') {
			// section 3: an error line, the end marker, and no other backend
			yield data({ error: { code: 'backend_error', message: 'The backend failed' } });
		} else if (outcome === 'failed') {
			yield written({ type: 'response.failed', response: responseObject(response, 'failed') });
		} else {
			const cut = isCut(choice) && incomplete === 'incomplete';
			const type = cut ? 'response.incomplete' : 'response.completed';
			yield written({ type, response: responseObject(response, 'done') });
		}
		yield data('[DONE]');
	} finally {
		run.settle();
	}
}
