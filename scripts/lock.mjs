// A lock between processes: a folder that holds its owner's id. Several runs in one clone take turns by it.
import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';

/** Milliseconds between two looks at a lock that somebody has. */
const ROUND = 200;
/** Looks after which somebody who waits is told again: 15 seconds. */
const ROUNDS_TOLD = 15_000 / ROUND;

/**
 * Runs `work` while no other process holds the lock.
 *
 * @template T
 * @param {string} folder
 * @param {() => Promise<T>} work
 * @param {(pid: number) => void} told is called with the owner's process id when there is somebody to wait for, and then every 15 seconds; it may throw in place of waiting
 */
export async function withLock(folder, work, told = () => {}) {
	await take(folder, told);
	const release = () => rmSync(folder, { recursive: true, force: true });
	process.once('exit', release);
	try {
		return await work();
	} finally {
		process.removeListener('exit', release);
		release();
	}
}

/**
 * Whether the process that wrote this owner line still runs.
 *
 * @param {string} line
 */
export const isAlive = (line) => line !== '' && line === owner(Number(line.split(' ')[0]));

/**
 * @param {string} folder
 * @param {(pid: number) => void} told
 */
async function take(folder, told) {
	const mine = `${folder}.${process.pid}`;
	rmSync(mine, { recursive: true, force: true });
	mkdirSync(mine, { recursive: true });
	writeFileSync(`${mine}/owner`, owner(process.pid));
	for (let rounds = 0; ; ) {
		try {
			// the folder appears with its owner in it, so that a lock without an owner never exists
			renameSync(mine, folder);
			return;
		} catch (error) {
			if (!['ENOTEMPTY', 'EEXIST', 'EPERM'].includes(codeOf(error))) throw error;
		}
		const held = read(folder);
		if (held && !isAlive(held)) removeStale(folder, held);
		else if (held && rounds++ % ROUNDS_TOLD === 0) {
			try {
				told(Number(held.split(' ')[0]));
			} catch (error) {
				rmSync(mine, { recursive: true, force: true });
				throw error;
			}
		}
		await pause(ROUND);
	}
}

/**
 * Moved away before it is deleted: of two processes that see the stale lock only one moves it.
 *
 * @param {string} folder
 * @param {string} held
 */
function removeStale(folder, held) {
	const grave = `${folder}.stale.${process.pid}`;
	try {
		renameSync(folder, grave);
		if (read(grave) === held) rmSync(grave, { recursive: true, force: true });
		else renameSync(grave, folder);
	} catch {
		// another process was faster
	}
}

/** @param {string} folder */
function read(folder) {
	try {
		return readFileSync(`${folder}/owner`, 'utf8');
	} catch {
		return undefined;
	}
}

/**
 * A process's id and, where the system tells it, its start: ids are given out again. Empty when it is gone.
 *
 * @param {number} pid
 */
export function owner(pid) {
	try {
		process.kill(pid, 0);
	} catch (error) {
		if (codeOf(error) !== 'EPERM') return '';
	}
	try {
		// the name, in brackets, may hold spaces; the start is the 20th field after it
		const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)?.split(' ');
		return `${pid} ${fields?.[19]}`;
	} catch {
		return `${pid} -`;
	}
}

/** @param {unknown} error of Node */
const codeOf = (error) =>
	error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : '';
