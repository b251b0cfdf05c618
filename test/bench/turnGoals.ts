import type { Figure } from './goals.ts';
import { find, least, most, type Result } from './results.ts';

/** Of conversations whose speakers answer at once, hence all time is n8n's and ours. */
export function turnGoals(results: Result[], ownTurn: number | undefined): Figure[] {
	const ours = find(results, 'turns', 'ours: conversation');
	return [
		['T1', 'conversation, ms a turn', least(ours, 'turn'), 6],
		['T1', 'conversation, ms a turn without the speakers', least(ours, 'engine'), 2],
		['T1', 'conversation, own share, ms a turn', ownTurn && ownTurn / 1000, 0.1],
		['T2', 'conversation, data of 50 turns, kB', most(ours, 'stored'), 100],
	];
}

/**
 * The Agent Bridge, which the conversation replaced and which is no longer in the package: a drawn loop of the same two speakers.
 *
 * Both packages ran the same 50 turns, run by run in turns, in two n8n at once, on two shared processors (load 6 to 11): the least of
 * six runs.
 */
export const formerBridge = [
	'The Agent Bridge of commit 492d9fe, measured on 2026-11-22 beside this conversation on a busy machine:',
	'  bridge        7.3 ms a turn, 1.1 without the speakers, 111 kB, CPU 360 ms',
	'  conversation  6.0 ms a turn, 0.9 without the speakers,  68 kB, CPU 400 ms',
].join('\n');
