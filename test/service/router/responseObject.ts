import type { Forms } from '../forms.ts';
import type { Choice, Plan } from './plan.ts';
import type { Run } from './run.ts';
import { responseUsage } from './usage.ts';

export interface Response {
	id: string;
	/** The id of an output item. */
	itemId(index: number): string;
	created: number;
	model: string;
	choice: Choice;
	plan: Plan;
	run: Run;
	forms: Forms;
}

/**
 * The response object with the words so far. Its fields are not shown in the specification: these
 * are the ones of the public protocol of that name.
 */
export function responseObject(response: Response, state: 'running' | 'done') {
	const { choice, plan, run } = response;
	const cut = state === 'done' && isCut(choice);
	return {
		id: response.id,
		object: 'response',
		created_at: response.created,
		model: response.model,
		status: state === 'running' ? 'in_progress' : statusOf(choice),
		error: null,
		incomplete_details: cut ? { reason: 'max_output_tokens' } : null,
		output: state === 'running' ? [] : outputItems(response),
		usage: state === 'running' ? null : responseUsage(plan, run),
	};
}

/** What the response gives: its thoughts, then calls of tools or one message. */
export function outputItems(response: Response): object[] {
	const { tools } = response.choice;
	return [
		...(placeOf(response) ? [reasoningItem(response)] : []),
		...(tools.length ? callItems(response) : [messageItem(response)]),
	];
}

/** Where the calls or the message stand in the output. */
export const placeOf = ({ choice }: Response): number =>
	choice.thoughts.length || choice.thought ? 1 : 0;

export const reasoningItem = ({ itemId, choice }: Response) => ({
	type: 'reasoning',
	id: itemId(0),
	summary: choice.thoughts.length ? [{ type: 'summary_text', text: choice.thoughts.join('') }] : [],
	...choice.thought?.item,
});

/** The message with the words so far. */
export function messageItem(response: Response) {
	const { choice, run, itemId } = response;
	const text = choice.words.slice(0, run.words).join('');
	return {
		type: 'message',
		id: itemId(placeOf(response)),
		role: 'assistant',
		status: statusOf(choice),
		content: [partOf(choice, text)],
	};
}

/** The part of a message: its text, or its refusal. */
export const partOf = ({ refuses }: Choice, text: string) =>
	refuses ? { type: 'refusal', refusal: text } : { type: 'output_text', text, annotations: [] };

export function callItems(response: Response) {
	const { choice, itemId } = response;
	return choice.tools.map((call, index) => ({
		type: 'function_call',
		id: itemId(placeOf(response) + index),
		call_id: call.id,
		name: call.name,
		arguments: call.arguments,
		status: statusOf(choice),
	}));
}

const isCut = ({ finish }: Choice) => finish === 'length';

const statusOf = (choice: Choice) => (isCut(choice) ? 'incomplete' : 'completed');
