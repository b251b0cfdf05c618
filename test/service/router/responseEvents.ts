import { data, event } from '../answer.ts';
import type { Forms } from '../forms.ts';
import { errorLine } from './error.ts';
import { isCut, responseObject, type Response } from './responseObject.ts';
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
		else yield* write(lastStep(response, outcome));
		if (outcome === 'broken' || forms.doneMark === 'present') yield data('[DONE]');
	} finally {
		run.settle();
	}
}

function lastStep(response: Response, outcome: 'whole' | 'failed'): ResponseStep {
	const { choice, forms } = response;
	const { output, ...whole } = responseObject(response, outcome === 'failed' ? 'failed' : 'done');
	const cut = isCut(choice) && forms.incomplete === 'incomplete';
	const end = cut ? 'response.incomplete' : 'response.completed';
	return {
		type: outcome === 'failed' ? 'response.failed' : end,
		response: { ...whole, ...(forms.responseOutput === 'present' && { output }) },
	};
}

/** The two that section 6C names, and those that end a response in place of the second. */
const NAMED = [
	'response.output_text.delta',
	'response.completed',
	'response.incomplete',
	'response.failed',
];

/** Writes events in the form asked for. */
function writer(form: Forms['responseEvents']) {
	let number = 0;
	return function* write({ type, ...fields }: ResponseStep): Generator<string> {
		if (form === 'minimal' && !NAMED.includes(type)) return;
		if (form === 'unknown') yield stranger(number);
		const value = { type, sequence_number: number++, ...fields };
		yield form === 'unnamed' ? data(value) : event(type, value);
	};
}

/**
 * Events between those that count. A client that adds up every `delta`, or takes every data line for
 * an object, goes wrong on them.
 */
const STRANGERS = [
	event('response.mystery.delta', { type: 'response.mystery.delta', delta: 'no text' }),
	data(42),
	data({ type: 'response.mystery', text: 'no text', response: { status: 'unknown' } }),
	data(null),
	event('ping', { type: 'ping' }),
	data(['no text']),
	data('"no text"'),
	data(true),
	data({}),
];

/** Any of them, in turn. */
export const stranger = (number: number): string => STRANGERS[number % STRANGERS.length] ?? '';
