import { data, event } from '../answer.ts';
import { errorLine } from './error.ts';
import { responseObject, type Response } from './responseObject.ts';
import { outputSteps, type ResponseStep } from './responseSteps.ts';

/**
 * The events of a streamed response. Section 6C names `response.output_text.delta` and
 * `response.completed`; those around them are the ones of the public protocol.
 */
export function* responseEvents(response: Response): Generator<string> {
	const { run, forms } = response;
	let number = 0;
	const write = ({ type, ...fields }: ResponseStep) =>
		event(type, { type, sequence_number: number++, ...fields });
	try {
		const running = { response: responseObject(response, 'running') };
		yield write({ type: 'response.created', ...running });
		yield write({ type: 'response.in_progress', ...running });
		const steps = outputSteps(response);
		let step = steps.next();
		for (; !step.done; step = steps.next()) yield write(step.value);
		run.settle();
		// section 3: an error line, the end marker, and no other backend
		if (step.value === 'broken') yield errorLine(forms.errorLine);
		else yield write({ type: 'response.completed', response: responseObject(response, 'done') });
		yield data('[DONE]');
	} finally {
		run.settle();
	}
}
