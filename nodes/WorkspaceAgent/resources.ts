import type { Resource } from '../../src/n8n/operation';
import { send } from './message/send.operation';

export const resources: Resource[] = [
	{ name: 'Message', value: 'message', operations: [send], defaultOperation: 'send' },
];
