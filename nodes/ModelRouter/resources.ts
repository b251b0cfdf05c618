import type { Resource } from '../../src/n8n/operation';
import { download } from './job/download.operation';
import { enterInLedger } from './job/enterInLedger.operation';
import { generate } from './job/generate.operation';
import { get as getJob } from './job/get.operation';
import { start } from './job/start.operation';
import { wait } from './job/wait.operation';
import { get as getModel } from './model/get.operation';
import { getMany } from './model/getMany.operation';
import { createResponse } from './text/createResponse.operation';
import { estimateCost } from './text/estimateCost.operation';
import { message } from './text/message.operation';

export const resources: Resource[] = [
	{
		name: 'Text',
		value: 'text',
		operations: [message, createResponse, estimateCost],
		defaultOperation: 'message',
	},
	{
		name: 'Media Job',
		value: 'job',
		operations: [download, enterInLedger, generate, getJob, start, wait],
		defaultOperation: 'generate',
	},
	{ name: 'Model', value: 'model', operations: [getModel, getMany], defaultOperation: 'getMany' },
];
