import type { Figure } from './goals.ts';
import { find, most, ratio, type Result } from './results.ts';

/** Of a large file that goes into n8n's store. */
export function fileGoals(results: Result[]): Figure[] {
	const ours = find(results, 'file', 'ours: download');
	const http = find(results, 'file', 'HTTP Request + header auth');
	const raw = find(results, 'file', 'raw http to a file');
	return [
		['G9', 'file, wall, x HTTP Request + header auth', ratio(ours, http, 'wall'), 1 / 1.1],
		['G9', 'file, CPU, x HTTP Request + header auth', ratio(ours, http, 'cpu'), 0.95],
		['G9', 'file, wall, x raw http to a file', ratio(ours, raw, 'wall'), 1 / 0.3],
		['G9', 'file, RSS growth, MB', most(ours, 'growth'), 30],
	];
}
