import type { Resource } from '../../src/n8n/operation';
import { complete } from './chat/complete.operation';
import { estimate } from './chat/estimate.operation';
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
import { create } from './response/create.operation';

export const resources: Resource[] = [
	{ name: 'Chat', value: 'chat', operations: [complete, estimate], defaultOperation: 'complete' },
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
	{ name: 'Response', value: 'response', operations: [create], defaultOperation: 'create' },
];
