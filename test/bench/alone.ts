import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';

/** Runs a program of this folder in a process of its own, in which nothing else has run. @returns the number that it prints */
export async function measureAlone(program: string): Promise<number> {
	const flags = ['--disable-warning=MODULE_TYPELESS_PACKAGE_JSON'];
	const file = join(import.meta.dirname, program);
	return Number((await promisify(execFile)(process.execPath, [...flags, file])).stdout);
}
