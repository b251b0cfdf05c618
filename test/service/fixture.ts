import { readFileSync } from 'node:fs';

/** The bytes of a file below `test/service`: programs and tests run in the root of the repository. */
export const readFixture = (path: string): Buffer => readFileSync(`test/service/${path}`);

export const readData = <T>(path: string): T => JSON.parse(readFixture(path).toString()) as T;
