import type { Resource } from '../../src/n8n/operation';
import { download } from './job/download.operation';
import { enterInLedger } from './job/enterInLedger.operation';
import { generate } from './job/generate.operation';
import { get as getJob } from './job/get.operation';
import { start } from './job/start.operation';
import { wait } from './job/wait.operation';
import { deleteMany } from './ledger/deleteMany.operation';
import { getMany as getManyEntries } from './ledger/getMany.operation';
import { markNotStarted } from './ledger/markNotStarted.operation';
import { markStarted } from './ledger/markStarted.operation';
import { setUp } from './ledger/setUp.operation';
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
		name: 'Job Ledger',
		value: 'ledger',
		operations: [deleteMany, getManyEntries, markNotStarted, markStarted, setUp],
		defaultOperation: 'getMany',
		notInTools: true,
	},
	{
		name: 'Media Job',
		value: 'job',
		operations: [download, enterInLedger, generate, getJob, start, wait],
		defaultOperation: 'generate',
	},
	{ name: 'Model', value: 'model', operations: [getModel, getMany], defaultOperation: 'getMany' },
];
