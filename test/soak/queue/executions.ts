import { RestError, type Editor } from '../../n8n/editor';
import { readExecution, type Execution, type Item } from '../../n8n/execution';
import type { Said } from '../book';
import { ITEMS, START } from './workflows';

/** What is read of the executions of a run. */
export interface Executions {
	said: Said[];
	/** How many ended in which way. */
	statuses: Map<string, number>;
	/** Executions that hold one of the secrets. */
	leaks: number;
}

/** Executions read at the same time. */
const LANES = 4;

/** Whether an execution is under way, as far as n8n knows. */
export async function areUnderWay(editor: Editor): Promise<boolean> {
	const filter = encodeURIComponent(JSON.stringify({ status: ['new', 'running', 'waiting'] }));
	const { results } = await editor.call<{ results: Array<{ status: string }> }>(
		'GET',
		`/rest/executions?filter=${filter}`,
	);
	return results.some(({ status }) => ['new', 'running', 'waiting'].includes(status));
}

/** Reads all executions. @param newest The highest id of one. */
export async function readExecutions(
	editor: Editor,
	newest: number,
	secrets: string[],
): Promise<Executions> {
	const found: Executions = { said: [], statuses: new Map(), leaks: 0 };
	let next = 0;
	const read = async () => {
		while (next < newest) {
			const answer = await fetchExecution(editor, String(++next));
			if (!answer) continue;
			const execution = readExecution(answer);
			found.statuses.set(execution.status, (found.statuses.get(execution.status) ?? 0) + 1);
			found.said.push(...saidIn(execution));
			const text = JSON.stringify(answer);
			if (secrets.some((secret) => text.includes(secret))) found.leaks++;
		}
	};
	await Promise.all(Array.from({ length: LANES }, read));
	return found;
}

async function fetchExecution(
	editor: Editor,
	id: string,
): Promise<Record<string, unknown> | undefined> {
	try {
		return await editor.call('GET', `/rest/executions/${id}`);
	} catch (error) {
		if (error instanceof RestError && error.status === 404) return undefined;
		throw error;
	}
}

/** What the start node's outputs say: jobs on the first, failures on the second. */
export function saidIn({ runData }: Pick<Execution, 'runData'>): Said[] {
	const items = runData[ITEMS]?.at(-1)?.data?.main?.[0] ?? [];
	const [jobs, failures] = runData[START]?.at(-1)?.data?.main ?? [];
	const keyOf = ({ pairedItem }: Item) => {
		const { item = -1 } = (pairedItem ?? {}) as { item?: number };
		return String(items[item]?.json['key'] ?? '');
	};
	return [
		...(jobs ?? []).map((item) => ({ key: keyOf(item), jobId: String(item.json['jobId']) })),
		...(failures ?? []).map((item) => {
			const details = (item.json['details'] ?? {}) as Record<string, unknown>;
			const { jobId, outcome } = details;
			return {
				key: keyOf(item),
				...(typeof jobId === 'string' && { jobId }),
				...(typeof outcome === 'string' && { outcome }),
			};
		}),
	].filter(({ key }) => key);
}
