import type { IExecuteFunctions } from 'n8n-workflow';
import { isToolType } from 'n8n-workflow';

/**
 * Whether an item that fails becomes an item that holds the error, and the rest still run.
 *
 * So it is for an AI agent unless the user wants the workflow to stop: n8n writes what a tool throws into the user's chat, with
 * the service's own words (n8n-core 2.41.1, workflow-execute.js:1053), and agents before version 3 are not told of it at all
 * (langchain's AgentExecutor).
 */
export function carriesOn(n8n: IExecuteFunctions): boolean {
	const { type, onError } = n8n.getNode();
	const forAgent = isToolType(type) && onError !== 'stopWorkflow';
	return (forAgent || n8n.continueOnFail()) && !n8n.getExecutionCancelSignal()?.aborted;
}
