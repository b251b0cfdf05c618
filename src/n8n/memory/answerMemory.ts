import type { Clock } from '../../core/retry';
import type { Redactor } from '../redact';

/** Something with the IDs of calls. Plain data. */
interface Remembered {
	calls: ReadonlyArray<{ id: string }>;
}

interface Kept<Answer> {
	answer: Answer;
	bytes: number;
}

/** What is stored with the execution, the oldest first. */
export interface KeptAnswers<Answer> {
	list: Array<Kept<Answer>>;
}

const MB = 1024 * 1024;
/** Bytes in one execution. */
const MAX_IN_EXECUTION = 4 * MB;
/** Bytes in this process. */
const MAX_IN_PROCESS = 20 * MB;
/** Milliseconds in this process. */
const MAX_AGE = 3_600_000;

/** The answers of all executions of this process by account and call, the oldest first. */
const inProcess = new Map<string, Kept<unknown> & { until: number }>();
let bytesInProcess = 0;

/**
 * Remembers answers that call tools: in the execution, which may wait and go on in another process, and in this process, for the next
 * execution of a chat with a memory.
 *
 * @param kept In the memory of the execution.
 * @param scope Whose answers they are.
 */
export function createAnswerMemory<Answer extends Remembered>(
	kept: KeptAnswers<Answer>,
	scope: string,
	{ clock: { now }, redact }: { clock: Pick<Clock, 'now'>; redact: Pick<Redactor, 'data'> },
) {
	const keyOf = (id: string) => `${scope} ${id}`;
	const has = (answer: Answer, ids: readonly string[]) =>
		answer.calls.some((call) => ids.includes(call.id));
	const keep = (given: Answer): Kept<Answer> => {
		const answer = redact.data(given);
		const bytes = Buffer.byteLength(JSON.stringify(answer));
		const until = now() + MAX_AGE;
		for (const [index, { id }] of answer.calls.entries())
			keepInProcess(keyOf(id), { answer, bytes: index ? 0 : bytes, until }, now());
		return { answer, bytes };
	};
	return {
		/** @param id Of a call. */
		find(id: string): Answer | undefined {
			const inExecution = kept.list.find(({ answer }) => has(answer, [id]));
			return (inExecution ?? findInProcess(keyOf(id), now()))?.answer as Answer | undefined;
		},
		add(given: Answer): void {
			kept.list.push(keep(given));
			let sum = kept.list.reduce((all, each) => all + each.bytes, 0);
			while (sum > MAX_IN_EXECUTION) sum -= kept.list.shift()?.bytes ?? sum;
		},
		/** The conversation with these calls has ended for this execution, with an answer that calls none. */
		end(ids: readonly string[], given: Answer): void {
			kept.list = kept.list.filter(({ answer }) => !has(answer, ids));
			if (given.calls.length) keep(given);
		},
	};
}

function findInProcess(key: string, now: number): Kept<unknown> | undefined {
	const found = inProcess.get(key);
	return found && found.until > now ? found : undefined;
}

function keepInProcess(key: string, entry: Kept<unknown> & { until: number }, now: number): void {
	bytesInProcess -= inProcess.get(key)?.bytes ?? 0;
	inProcess.delete(key);
	inProcess.set(key, entry);
	bytesInProcess += entry.bytes;
	for (const [oldest, { bytes, until }] of inProcess) {
		if (bytesInProcess <= MAX_IN_PROCESS && until > now) return;
		inProcess.delete(oldest);
		bytesInProcess -= bytes;
	}
}
