import { readFileSync } from 'node:fs';

/** @param path From the root of the repository, in which programs and tests run. */
export const readData = <T>(path: string): T => JSON.parse(readFileSync(path, 'utf8')) as T;
