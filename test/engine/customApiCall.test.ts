import type { INodeParameters } from 'n8n-workflow';

import { assistant, models, posts } from './rig/calls';
import { shownText } from './rig/run';
import { serviceForTests } from './rig/service';

// n8n adds "Custom API Call" to the operations of a node, and a language model may choose it
const service = serviceForTests();
const CHOSEN = '__CUSTOM_API_CALL__';

it.each([
	['an operation of the Model Router', models(CHOSEN)],
	['a resource of the Model Router', models('getModel', { resource: CHOSEN })],
	[
		'an operation of Crypto Q&A',
		{ ...assistant('ask', {}), parameters: { operation: CHOSEN } as INodeParameters },
	],
])('"Custom API Call" as %s is answered with what to use', async (_what, call) => {
	const { error } = await service.run(call);
	expect(shownText(error)).toMatch(
		/does not support "Custom API Call".*use an HTTP Request node.*choose this node's credential/,
	);
	expect(posts(service)).toEqual([]);
});
