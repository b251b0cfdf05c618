import type { Resource } from '../../src/n8n/operation';
import { get as getBudget } from './budget/get.operation';
import { pause } from './budget/pause.operation';
import { release } from './budget/release.operation';
import { resume } from './budget/resume.operation';
import { confirmDelivery } from './ledger/confirmDelivery.operation';
import { deleteMany } from './ledger/deleteMany.operation';
import { deliverAgain } from './ledger/deliverAgain.operation';
import { getMany as getManyEntries } from './ledger/getMany.operation';
import { markNotStarted } from './ledger/markNotStarted.operation';
import { markStarted } from './ledger/markStarted.operation';
import { download } from './media/download.operation';
import { generate } from './media/generate.operation';
import { get as getJob } from './media/get.operation';
import { start } from './media/start.operation';
import { track } from './media/track.operation';
import { wait } from './media/wait.operation';
import { get as getModel } from './model/get.operation';
import { getMany } from './model/getMany.operation';
import { fold } from './spending/fold.operation';
import { get as getSpending } from './spending/get.operation';
import { estimateCost } from './text/estimateCost.operation';
import { message } from './text/message.operation';

/** In the order in which n8n's list of actions shows them: what people come for is first. */
export const resources: Resource[] = [
	{
		name: 'Text',
		value: 'text',
		operations: [message, estimateCost],
		defaultOperation: 'message',
	},
	{
		name: 'Media',
		value: 'media',
		operations: [download, generate, getJob, start, track, wait],
		defaultOperation: 'generate',
	},
	{ name: 'Model', value: 'model', operations: [getModel, getMany], defaultOperation: 'getMany' },
	{
		name: 'Job Ledger',
		value: 'ledger',
		operations: [
			confirmDelivery,
			deleteMany,
			deliverAgain,
			getManyEntries,
			markNotStarted,
			markStarted,
		],
		defaultOperation: 'getMany',
		notInTools: true,
	},
	{
		name: 'Budget',
		value: 'budget',
		operations: [getBudget, pause, release, resume],
		defaultOperation: 'get',
		notInTools: true,
	},
	{
		name: 'Spending',
		value: 'spending',
		operations: [fold, getSpending],
		defaultOperation: 'get',
		notInTools: true,
	},
];
