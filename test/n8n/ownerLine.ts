import { readFileSync } from 'node:fs';

/**
 * Process id and start time, since ids are given out again. Written to `<folder>/owner`, it tells whoever finds the folder
 * after a crash which process to end; scripts/run.mjs does.
 */
export function ownerLine(pid: number): string {
	try {
		const start = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').pop()?.split(' ')[19];
		return `${pid} ${start}`;
	} catch {
		return `${pid} -`;
	}
}
