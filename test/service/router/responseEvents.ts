import { data, event } from '../answer.ts';
import type { Forms } from '../forms.ts';
import { errorLine } from './error.ts';
import { responseObject, type Response } from './responseObject.ts';
import { outputSteps, type Outcome, type ResponseStep } from './responseSteps.ts';

/**
 * The events of a streamed response. Section 6C names `response.output_text.delta` and
 * `response.completed`; those around them are the ones of the public protocol.
 */
export function* responseEvents(response: Response): Generator<string> {
	const { run, forms } = response;
	const write = writer(forms.responseEvents);
	try {
		const running = { response: responseObject(response, 'running') };
		yield* write({ type: 'response.created', ...running });
		yield* write({ type: 'response.in_progress', ...running });
		const steps = outputSteps(response);
		let outcome: Outcome | undefined;
		while (!outcome) {
			const step = steps.next();
			if (step.done) outcome = step.value;
			else yield* write(step.value);
		}
		run.settle();
		// section 3: an error line, the end marker, and no other backend
		if (outcome === 'broken') yield errorLine(forms.errorLine);
		else yield* write(lastStep(response));
		if (outcome === 'broken' || forms.doneMark === 'present') yield data('[DONE]');
	} finally {
		run.settle();
	}
}

function lastStep(response: Response): ResponseStep {
	const { output, ...whole } = responseObject(response, 'done');
	return {
		type: 'response.completed',
		response: { ...whole, ...(response.forms.responseOutput === 'present' && { output }) },
	};
}

/** The two that section 6C names. */
const NAMED = ['response.output_text.delta', 'response.completed'];

/** Writes events in the form asked for. */
function writer(form: Forms['responseEvents']) {
	let number = 0;
	return function* write({ type, ...fields }: ResponseStep): Generator<string> {
		if (form === 'minimal' && !NAMED.includes(type)) return;
		const value = { type, sequence_number: number++, ...fields };
		yield form === 'unnamed' ? data(value) : event(type, value);
	};
}
