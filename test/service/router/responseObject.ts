import type { Plan } from './plan.ts';
import type { Run } from './run.ts';
import { responseUsage } from './usage.ts';

export interface Response {
	id: string;
	itemId: string;
	created: number;
	model: string;
	plan: Plan;
	run: Run;
}

/**
 * The response object with the words so far. Its fields are not shown in the specification: these
 * are the ones of the public protocol of that name.
 */
export function responseObject(response: Response, state: 'running' | 'done' | 'failed') {
	const { plan } = response;
	const cut = state === 'done' && plan.finish !== 'stop' && plan.finish !== 'tool_calls';
	const reason = plan.finish === 'length' ? 'max_output_tokens' : 'content_filter';
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
		output: state === 'running' ? [] : [outputItem(response, cut)],
		usage: state === 'running' ? null : responseUsage(plan, response.run),
	};
}

export function outputItem({ itemId, plan, run }: Response, cut = false) {
	const status = cut ? 'incomplete' : 'completed';
	if (plan.tool) {
		const { id, name, arguments: given } = plan.tool;
		return { type: 'function_call', id: itemId, call_id: id, name, arguments: given, status };
	}
	const text = plan.words.slice(0, run.words).join('');
	return {
		type: 'message',
		id: itemId,
		role: 'assistant',
		status,
		content: [{ type: 'output_text', text, annotations: [] }],
	};
}
