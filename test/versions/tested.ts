import { readFileSync } from 'node:fs';

/** What an older n8n may lack. Each is a column of README's table. */
export type Feature = 'limitedPatterns';

interface TestedVersion {
	n8n: string;
	/** What it lacks; absent where the nodes refuse to work. */
	lacks?: Feature[];
	/** The version that the nodes ask for. */
	refuses?: string;
}

const all = JSON.parse(readFileSync('test/versions/versions.json', 'utf8')) as TestedVersion[];
const version = process.env['AGENT_BRIDGE_N8N_VERSION'];

/** The version that this run tests. */
export const tested = all.find(({ n8n }) => n8n === version) ?? failWithout();

export const has = (feature: Feature): boolean => !tested.lacks?.includes(feature);

/** Tests of a version on which the nodes work. */
export const describeWorking = tested.refuses === undefined ? describe : describe.skip;

/** Tests of a version on which the nodes refuse to work. */
export const describeRefusing = tested.refuses === undefined ? describe.skip : describe;

function failWithout(): never {
	throw new Error('these tests run by "npm run test:versions"');
}
