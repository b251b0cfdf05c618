// What is measured, in the order of a whole run: what matters most comes first, in case that time runs out.
import { comparedRows } from './comparedRows.ts';
import { measurePolls } from './polls.ts';
import { measureExecutions, measureParked, measureWatched } from './queueRows.ts';
import { HTTP, times, type Figure, type Measure, type Row } from './row.ts';
import { measureInTest } from './measureInTest.ts';
import { measureScale } from './scale.ts';
import { measureAndKeep } from './tables.ts';

/** Whether two variants agree within a quarter. */
const agree = (one: string, other: string, ...measures: Measure[]): Figure[] =>
	measures.flatMap((measure) => [
		{ measure, of: one, over: other, atMost: 1.25 },
		{ measure, of: other, over: one, atMost: 1.25 },
	]);

export const rows: Row[] = [
	{
		id: 'spending',
		title:
			'10,000 rows of the record of spending by workflow and model, where n8n takes 25 ms for a page',
		where: 'alone',
		shows: ['wall ms', 'heap + MB'],
		figures: [
			{ measure: 'wall ms', atMost: 2000 },
			{ measure: 'heap + MB', atMost: 50 },
		],
		run: async () => await measureInTest('spending.test.ts'),
	},
	{
		id: 'kept',
		title:
			'heap that a node keeps of an item until it ends, after a collection: all are prepared first',
		where: 'alone',
		shows: ['kept kB'],
		figures: [
			{ measure: 'kept kB', of: 'when the first is sent', atMost: 3 },
			{ measure: 'kept kB', of: 'when the last is sent', atMost: 3 },
		],
		run: async () => await measureInTest('kept.test.ts'),
	},
	{
		id: 'ways',
		title: 'what of our code runs for one item, as V8 counts it',
		where: 'alone',
		shows: ['calls', 'functions', 'files'],
		figures: [
			{ measure: 'calls', of: 'text message', atMost: 1900 },
			{ measure: 'functions', of: 'text message', atMost: 500 },
			{ measure: 'files', of: 'text message', atMost: 62 },
			{ measure: 'calls', of: 'chat model', atMost: 1500 },
			{ measure: 'calls', of: 'assistant question', atMost: 1000 },
			{ measure: 'calls', of: 'piece of a live answer', atMost: 45 },
		],
		run: async () => await measureInTest('ways.test.ts'),
	},
	...comparedRows,
	{
		id: 'polls',
		title:
			'a trigger polls 1,000 jobs, 8 at once, with its ledger in n8n, beside the same requests alone',
		where: 'fresh n8n',
		shows: ['wall ms', 'CPU ms', 'to n8n', 'RSS + MB'],
		figures: [
			...times("n8n's helper", 2, 'wall ms'),
			...times(HTTP, 1, 'wall ms'),
			{ measure: 'to n8n', by: 'most', atMost: 16 },
			{ measure: 'too early', by: 'most', atMost: 0 },
		],
		run: measurePolls,
	},
	{
		id: 'queue, executions',
		title: 'executions at a webhook in queue mode, ten callers, on one worker and on all',
		where: 'queue',
		shows: ['per second', 'worker CPU ms', 'unanswered'],
		figures: [{ measure: 'worker CPU ms', minus: HTTP, atMost: 1 }],
		run: measureExecutions,
	},
	{
		id: 'queue, parked',
		title: "memory for executions that wait for a job in n8n's database",
		where: 'queue',
		shows: ['RSS + MB', 'seconds'],
		figures: [{ measure: 'RSS + MB', of: 'main', atMost: 50 }],
		run: measureParked,
	},
	{
		id: 'queue, watched jobs',
		title: "main's trigger watches jobs, and the workers get them with their files",
		where: 'queue',
		shows: ['RSS + MB', 'seconds', 'undelivered', 'fetched twice'],
		figures: [
			{ measure: 'undelivered', atMost: 0 },
			{ measure: 'fetched twice', atMost: 0 },
			{ measure: 'RSS + MB', of: 'asked again', atMost: 50 },
		],
		run: measureWatched,
	},
	{
		id: 'tables',
		title:
			"requests to Data Tables with more and more rows, and what n8n's main process takes for one",
		where: 'alone',
		isExtra: true,
		shows: [...(['alone least ms', 'of 20 ms', 'unanswered', 'alone CPU ms', 'CPU ms'] as const)],
		figures: [],
		run: measureAndKeep,
	},
	{
		id: 'scale',
		title: 'texts with one budget and its record on three workers, beside their simulation',
		where: 'alone',
		needsRedis: true,
		isExtra: true,
		shows: [
			...(['per second', 'to n8n', 'to n8n, 100 texts'] as const),
			...(['added ms', 'added 95 % ms', 'unanswered'] as const),
		],
		figures: agree('three workers', 'simulated', 'per second', 'to n8n'),
		run: measureScale,
	},
];
