import { expectCommitted } from '../package/committed';
import { formatJson } from '../../scripts/docs/fields';
import { documentedOperations } from '../../scripts/docs/nodePages';
import { documentedOutputs, type Outputs } from './rig/documented';

let outputs: Outputs;
beforeAll(async () => (outputs = await documentedOutputs()));

it('the documentation has an example of the output of every operation', () => {
	// a new operation is called in rig/documented.ts
	expect(documentedOperations().filter((title) => !(title in outputs))).toEqual([]);
});

it('the examples in the documentation are what the nodes return', () => {
	expectCommitted('scripts/docs/outputs.json', `${formatJson(outputs)}\n`);
});
