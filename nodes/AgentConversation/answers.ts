import type { EngineResponse, IDataObject, INodeExecutionData, ITaskData } from 'n8n-workflow';

/** What n8n brings back from a node that was asked to run. */
export interface Answer {
	node: string;
	/** What the node was given. */
	input: IDataObject;
	/** What it returned. A node that failed has one item with `error`. */
	items: IDataObject[];
}

export type Answers = ReadonlyMap<string, Answer>;

/** The answers by the ID of what was asked for. With every try of Retry On Fail, n8n gives the same ones once more. */
export function toAnswers(response: EngineResponse | undefined): Answers {
	return new Map(
		(response?.actionResponses ?? []).map(({ action, data }) => [
			action.id,
			{ node: action.nodeName, input: action.input, items: toItems(data) },
		]),
	);
}

/**
 * All that the node returned.
 *
 * After "Retry with currently saved workflow", n8n files the answer of the node that was running under `main` (n8n 2.41.1,
 * executions/execution.service.js:236).
 */
function toItems({ data, error }: ITaskData): IDataObject[] {
	const branches = data?.['ai_tool'] ?? data?.['main'] ?? [];
	const items = branches.flatMap((branch) => branch ?? []).map(toJson);
	const isReported = items.some((item) => item['error']);
	return error && !isReported ? [{ error: error.message }, ...items] : items;
}

const toJson = ({ json, error }: INodeExecutionData): IDataObject =>
	error ? { ...json, error: error.message } : json;
