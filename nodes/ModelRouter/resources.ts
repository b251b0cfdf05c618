import type { Resource } from '../../src/n8n/operation';
import { complete } from './chat/complete.operation';
import { estimate } from './chat/estimate.operation';
import { download } from './media/download.operation';
import { generate } from './media/generate.operation';
import { get as getJob } from './media/get.operation';
import { start } from './media/start.operation';
import { track } from './media/track.operation';
import { wait } from './media/wait.operation';
import { get as getModel } from './model/get.operation';
import { getMany } from './model/getMany.operation';
import { create } from './response/create.operation';

export const resources: Resource[] = [
	{ name: 'Chat', value: 'chat', operations: [complete, estimate], defaultOperation: 'complete' },
	{
		name: 'Media',
		value: 'media',
		operations: [download, generate, getJob, start, track, wait],
		defaultOperation: 'generate',
	},
	{ name: 'Model', value: 'model', operations: [getModel, getMany], defaultOperation: 'getMany' },
	{ name: 'Response', value: 'response', operations: [create], defaultOperation: 'create' },
];
