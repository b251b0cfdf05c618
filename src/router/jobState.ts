import { isObject } from '../service/json';
import { readDecimal } from './decimal';

export type JobState = 'unfinished' | 'completed' | 'failed';

const STATE_FIELDS = ['status', 'state', 'job_status', 'phase'];
/** What some services put before all their words, e.g. `JOB_STATE_SUCCEEDED`. */
const PREFIX = /^((media|job|task|run|state|status)[ ._:-]+)+(?=.)/i;
const COMPLETED =
	/^(completed?|succe(ss|ssful|ssfully|ed|eded)|done|finished|ready|ok)([ _-](successfully|ok))?$/i;
const FAILED =
	/^(failed|failure|error(ed)?|cancell?ed|rejected|aborted|timed?[ _-]?out|expired|unsuccessful|declined|refused|denied|blocked|terminated|killed|crashed)$/i;
const UNDER_WAY =
	/queue|pend|wait|run|progress|process|start|creat|submit|accept|schedul|generat|render|held|hold|unfinished|incomplete|^(not|almost|partial)/i;
/** Words that may as well be about the answer as about the job. */
const OF_THE_ANSWER = /^(success|successful|ok)$/i;

/** The service's own word for the state of a job, where it has one. */
export function stateWord(record: Record<string, unknown>): string | undefined {
	for (const field of STATE_FIELDS) {
		const value = record[field];
		if (typeof value === 'string' && value.trim()) return value;
		if (isObject(value))
			return stateWord(value) ?? (typeof value['name'] === 'string' ? value['name'] : undefined);
	}
	return undefined;
}

/** The word of a record, or of what it holds, where its own may only be about the answer. */
export function stateWordIn(
	record: Record<string, unknown>,
	inside: ReadonlyArray<Record<string, unknown>>,
): string | undefined {
	const own = stateWord(record);
	if (own !== undefined && !OF_THE_ANSWER.test(own.trim())) return own;
	return inside.map(stateWord).find((word) => word !== undefined) ?? own;
}

/**
 * What the service's word means. Without one, or with one that is not known, the cost tells: it is set when the job completes,
 * and only then. A job that expired without having cost anything has never completed.
 *
 * @see section 2C, `cost`
 */
export function stateOf(
	record: Record<string, unknown>,
	status: string | undefined,
	cost: unknown,
): JobState {
	if (status === undefined) {
		if (record['error'] || record['failure']) return 'failed';
		const done = ['done', 'completed', 'finished'].some((field) => record[field] === true);
		return done || (cost !== undefined && cost !== null) ? 'completed' : 'unfinished';
	}
	const word = status.trim().replace(PREFIX, '');
	if (COMPLETED.test(word)) return 'completed';
	const charged = (readDecimal(cost)?.digits ?? 0n) > 0n;
	if (/^expired$/i.test(word)) return charged ? 'completed' : 'failed';
	if (FAILED.test(word)) return 'failed';
	return charged && !UNDER_WAY.test(word) ? 'completed' : 'unfinished';
}
