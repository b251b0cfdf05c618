import { globSync } from 'node:fs';

import { expectCommitted } from '../package/committed';
import { formatJson } from '../../scripts/docs/markdown';
import { documentedOperations } from '../../scripts/docs/nodePages';
import { schemaFiles, schemaOf } from '../../scripts/docs/schemas';
import type { Outputs } from './rig/documented';
import { recordOutputs, type Recorded } from './rig/recorded';

let outputs: Outputs;
let recorded: Recorded;
beforeAll(async () => void ({ outputs, recorded } = await recordOutputs()));

it('the documentation has an example of the output of every operation', () => {
	// a new operation is called in rig/documented.ts
	expect(documentedOperations().filter((title) => !(title in outputs))).toEqual([]);
});

it('the examples in the documentation are what the nodes return', () => {
	expectCommitted('scripts/docs/outputs.json', `${formatJson(outputs)}\n`);
});

it.each(schemaFiles())('%s has the fields of what the operation outputs', (path) => {
	const items = recorded[path] ?? [];
	const [given, failed] = [true, false].map((isGiven) =>
		items.filter((item) => !('error' in item) === isGiven),
	);
	expect(given).not.toEqual([]);
	expect(failed).not.toEqual([]);
	// the fields of a failure come last
	expectCommitted(path, `${formatJson(schemaOf([...given!, ...failed!]))}\n`);
});

it('there is no other schema', () => {
	expect(globSync('nodes/**/__schema__/**/*.json').sort()).toEqual(schemaFiles().sort());
});
