import { requireResponse } from '../../../src/n8n/attachedTools';
import { executeContext } from './executeContext';

it('a call without the response of the engine is refused, an empty response is not', () => {
	expect(() =>
		requireResponse(executeContext({}), { actionResponses: [], metadata: {} }),
	).not.toThrow();
	expect(() => requireResponse(executeContext({}), undefined)).toThrow(
		'n8n called this node without the answers of its speakers',
	);
});
