import { resources } from '../../../nodes/ModelRouter/resources';
import { readSettings } from '../../../src/n8n/nodeProperties';
import { executeContext } from './executeContext';

it.each([
	['media', 'start', 3600],
	['media', 'generate', 5],
	['text', 'message', 5],
])('what the panel of %s: %s does not show is not set', (resource, value, totalTimeout) => {
	const requestSettings = { totalTimeout: 5, concurrency: 2 };
	const n8n = executeContext({ parameters: { requestSettings } as never, items: [] });
	const { operations = [] } = resources.find((one) => one.value === resource) ?? {};
	const operation = operations.find((one) => one.value === value)!;
	expect(readSettings(n8n, resources, operation)).toMatchObject({ totalTimeout, concurrency: 2 });
	expect(readSettings(n8n, resources.slice(0, 1), operation)).toMatchObject({ totalTimeout: 5 });
});
