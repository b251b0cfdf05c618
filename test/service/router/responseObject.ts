import type { Forms } from '../forms.ts';
import type { Choice, Plan } from './plan.ts';
import type { Run } from './run.ts';
import { isCut, outputItems } from './responseItems.ts';
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
export function responseObject(response: Response, state: 'running' | 'done' | 'failed') {
	const { choice, plan, run, forms } = response;
	const cut = state === 'done' && isCut(choice);
	const reason = choice.finish === 'length' ? 'max_output_tokens' : 'content_filter';
	return {
		id: response.id,
		object: 'response',
		created_at: response.created,
		model: response.model,
		status:
			state === 'running'
				? 'in_progress'
				: state === 'failed'
					? 'failed'
					: cut
						? 'incomplete'
						: 'completed',
		error: state === 'failed' ? { code: 'server_error', message: 'The backend failed' } : null,
		incomplete_details: cut ? { reason } : null,
		output: state === 'running' ? [] : outputItems(response),
		usage: state === 'running' ? null : responseUsage(plan, run, forms),
	};
}
