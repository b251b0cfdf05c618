import type { Resource } from '../../src/n8n/operation';
import { getBudget } from './budget/getBudget.operation';
import { pause } from './budget/pause.operation';
import { raise } from './budget/raise.operation';
import { release } from './budget/release.operation';
import { resume } from './budget/resume.operation';
import { confirmDelivery } from './ledger/confirmDelivery.operation';
import { deleteMany } from './ledger/deleteMany.operation';
import { deliverAgain } from './ledger/deliverAgain.operation';
import { getEntries } from './ledger/getEntries.operation';
import { markNotStarted } from './ledger/markNotStarted.operation';
import { markStarted } from './ledger/markStarted.operation';
import { download } from './media/download.operation';
import { generate } from './media/generate.operation';
import { getJob } from './media/getJob.operation';
import { start } from './media/start.operation';
import { track } from './media/track.operation';
import { wait } from './media/wait.operation';
import { getModel } from './model/getModel.operation';
import { getModels } from './model/getModels.operation';
import { combineRows } from './spending/combineRows.operation';
import { getSpending } from './spending/getSpending.operation';
import { estimateCost } from './text/estimateCost.operation';
import { message } from './text/message.operation';

/** In the order in which n8n's list of actions shows them: what people come for is first. */
export const resources: Resource[] = [
	{ name: 'Text', value: 'text', operations: [message, estimateCost], defaultOperation: 'message' },
	{
		name: 'Media',
		value: 'media',
		operations: [download, generate, getJob, start, track, wait],
		defaultOperation: 'generate',
	},
	{
		name: 'Model',
		value: 'model',
		operations: [getModel, getModels],
		defaultOperation: 'getModels',
	},
	{
		name: 'Job Ledger',
		value: 'ledger',
		operations: [
			confirmDelivery,
			deleteMany,
			deliverAgain,
			getEntries,
			markNotStarted,
			markStarted,
		],
		defaultOperation: 'getEntries',
		notInTools: true,
	},
	{
		name: 'Budget',
		value: 'budget',
		operations: [getBudget, pause, raise, release, resume],
		defaultOperation: 'getBudget',
		notInTools: true,
	},
	{
		name: 'Spending',
		value: 'spending',
		operations: [combineRows, getSpending],
		defaultOperation: 'getSpending',
		notInTools: true,
	},
];
