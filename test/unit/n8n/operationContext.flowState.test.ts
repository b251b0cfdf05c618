import type { IExecuteFunctions } from 'n8n-workflow';

import { createFlowState } from '../../../src/n8n/operationContext';
import { createRedactor } from '../../../src/n8n/redact';

const ECHOED = 'key-4f0c9d217ab3';

/** The memory of one node in an execution whose context is given. */
const over = (context: object, scope = 'scope') => {
	const n8n = { getContext: () => context } as unknown as IExecuteFunctions;
	return createFlowState(n8n, scope, createRedactor(ECHOED));
};

it('a value is there for all nodes of the same credential, and stored', () => {
	const context = {};
	over(context).set('chat', 'id-1');
	expect([over(context).get('chat'), over(context, 'other').get('chat')]).toEqual([
		'id-1',
		undefined,
	]);
	// as n8n reads it again
	expect(over(structuredClone(context)).get('chat')).toBe('id-1');
});

it('a value that holds the key is there, too, and not stored', () => {
	const context = {};
	over(context).set('chat', `of ${ECHOED}`);
	expect(over(context).get('chat')).toBe(`of ${ECHOED}`);
	expect(JSON.stringify(context)).not.toContain(ECHOED);
	expect(over(structuredClone(context)).get('chat')).toBeUndefined();
});

it('the last value counts, stored or not', () => {
	const context = {};
	const { get, set } = over(context);
	for (const value of ['id-1', ECHOED, 'id-2']) {
		set('chat', value);
		expect(get('chat')).toBe(value);
	}
	expect(Object.values((context as { agentBridge: object }).agentBridge)).toEqual(['id-2']);
});
