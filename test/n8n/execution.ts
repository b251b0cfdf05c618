import { parse } from 'flatted';

/** One item as n8n stores it. */
export interface Item {
	json: Record<string, unknown>;
	binary?: Record<string, BinaryEntry>;
	pairedItem?: unknown;
	error?: NodeFailure;
}

export interface BinaryEntry {
	/** `filesystem-v2:…`, absent when the bytes are in `data` as base64 */
	id?: string;
	data: string;
	fileName?: string;
	mimeType: string;
	fileSize?: string;
	bytes?: number;
}

export interface NodeFailure {
	message: string;
	description?: string | null;
	httpCode?: string | null;
	context?: Record<string, unknown>;
	name?: string;
	[field: string]: unknown;
}

/** One run of one node. */
export interface NodeRun {
	executionStatus: string;
	executionTime: number;
	error?: NodeFailure;
	data?: { main?: Array<Item[] | null> };
	hints?: unknown[];
}

export interface Execution {
	id: string;
	/** new, running, waiting, success, error, canceled, crashed */
	status: string;
	mode: string;
	finished: boolean;
	retryOf?: string | null;
	customData?: Record<string, string>;
	/** the runs of each node, by the node's name */
	runData: Record<string, NodeRun[]>;
	error?: NodeFailure;
	lastNode?: string;
}

interface ResultData {
	runData?: Record<string, NodeRun[]>;
	error?: NodeFailure;
	lastNodeExecuted?: string;
	metadata?: Record<string, string>;
}

/** Reads an answer of `GET /rest/executions/:id`, whose `data` is flatted JSON. */
export function readExecution(answer: Record<string, unknown>): Execution {
	const { id, status, mode, finished, retryOf, customData, data } =
		answer as unknown as Execution & { data?: string };
	// an execution that has just started has no data, or an empty one
	const { resultData = {} } = ((data && parse(data)) || {}) as { resultData?: ResultData };
	return {
		id: String(id),
		status,
		mode,
		finished,
		retryOf: retryOf ?? null,
		customData: { ...resultData.metadata, ...customData },
		runData: resultData.runData ?? {},
		...(resultData.error ? { error: resultData.error } : {}),
		...(resultData.lastNodeExecuted ? { lastNode: resultData.lastNodeExecuted } : {}),
	};
}

/** The items of a node's last run on one output; 1 is the error output of an ordinary node. */
export const itemsOf = ({ runData }: Execution, node: string, output = 0): Item[] =>
	runData[node]?.at(-1)?.data?.main?.[output] ?? [];
