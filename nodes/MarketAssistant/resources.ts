import type { Resource } from '../../src/n8n/operation';
import { ask } from './question/ask.operation';
import { askGuided } from './question/askGuided.operation';
import { askStreaming } from './question/askStreaming.operation';

export const resources: Resource[] = [
	{
		name: 'Question',
		value: 'question',
		operations: [ask, askGuided, askStreaming],
		defaultOperation: 'ask',
	},
];
