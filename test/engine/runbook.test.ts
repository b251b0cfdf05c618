import { readFileSync } from 'node:fs';

import type { IDataObject, INodeParameters } from 'n8n-workflow';

import { RUNBOOK } from '../../src/n8n/documentation';
import { budget, chat, failPosts, job, NOVELIST } from './rig/calls';
import { startLedgerRig } from './rig/ledger';
import { run, type Outcome, type RunOptions } from './rig/run';

// The rows of docs/runbook.md, tried: what is seen is in its first column, and what it says to do ends the trouble. What a killed
// worker and a dead main leave is in test/queue.
const rig = startLedgerRig();

const page = readFileSync('docs/runbook.md', 'utf8');
/** Titles that the page quotes, as patterns: a value may stand for "…". */
const quoted = [...page.matchAll(/^\| (.*?) \|/gm)]
	.flatMap(([, seen = '']) => [...seen.matchAll(/\*\*(.+?)\*\*/g)])
	.map(([, title = '']) => title.replace(/[.*+?^${}()|[\]\\]/g, '\\$&').replaceAll('…', '.+'))
	.map((pattern) => new RegExp(`^${pattern}`));

const secretsOf = (fields: IDataObject = {}) => rig.account(fields);
const withBudget = (budgetUsd: string, more: IDataObject = {}) => secretsOf({ budgetUsd, ...more });
/** A long answer, which costs at most the amount that is left. */
const write = async (secrets: RunOptions['secrets'], more: INodeParameters = {}) =>
	await run({ ...chat('Write.', { model: NOVELIST, spendingCapPerItem: 5, ...more }), secrets });
const operate = async (operation: string, parameters: INodeParameters = {}) =>
	await run({ ...budget(operation, parameters), secrets: withBudget('1') });
const once = async () => await run(rig.starting('one', { uniqueKey: 'order-7' }));
const status = (code: number, message = 'no') =>
	({ type: 'status', status: code, body: { message } }) as const;

/** What goes wrong; what the page says to do; what then works. */
interface Trouble {
	goesWrong: () => Promise<Outcome>;
	remedy: () => unknown;
	works: () => Promise<Outcome>;
}

const row = () => rig.n8n.rows.find(({ state }) => state === 'budget')!;
const expire = () => rig.service.world.jobs.forEach((each) => (each.expired = true));
const lastJob = () => rig.service.world.starts.at(-1)!.jobId;
const pictureOf = (operation: string, options: INodeParameters = {}) =>
	run({
		...job(operation, { mediaType: 'images', jobId: lastJob(), options }),
		secrets: secretsOf(),
	});

const rows: Record<string, Trouble> = {
	'the balance is empty': {
		goesWrong: async () => {
			rig.service.setBalance(1);
			return await write(secretsOf());
		},
		remedy: () => rig.service.setBalance(10_000_000),
		works: () => write(secretsOf()),
	},
	'there is no money at all': {
		goesWrong: async () => {
			rig.service.setBalance(0);
			return await write(secretsOf());
		},
		remedy: () => rig.service.setBalance(10_000_000),
		works: () => write(secretsOf()),
	},
	'a limit of the account is used up': {
		goesWrong: async () => {
			failPosts(rig.service, {
				...status(429),
				body: { error: { code: 'insufficient_quota', message: 'You exceeded your quota' } },
			});
			return await write(secretsOf());
		},
		remedy: () => rig.service.reset(),
		works: () => write(secretsOf()),
	},
	'nothing listens at the address of the service': {
		goesWrong: () => run({ ...chat('Hi.'), secrets: secretsOf({ baseUrl: 'http://127.0.0.1:9' }) }),
		remedy: () => undefined,
		works: () => write(secretsOf()),
	},
	'the service fails': {
		goesWrong: async () => {
			failPosts(rig.service, status(503));
			return await write(secretsOf());
		},
		remedy: () => rig.service.reset(),
		works: () => write(secretsOf()),
	},
	'the catalog fails': {
		goesWrong: async () => {
			rig.service.fault({ match: { path: '/v1/models' }, times: Infinity, do: status(503) });
			return await write(secretsOf({ apiKey: 'key-of-an-account-that-is-new' }));
		},
		remedy: () => rig.service.reset(),
		works: () => write(secretsOf()),
	},
	'the service asks to wait': {
		goesWrong: async () => {
			failPosts(rig.service, { type: 'too_many_requests', retryAfter: 1 }, 1);
			return await write(secretsOf(), { requestSettings: { maxRateLimitWait: 0 } });
		},
		remedy: () => failPosts(rig.service, { type: 'too_many_requests', retryAfter: 1 }, 1),
		works: () => write(secretsOf(), { requestSettings: { maxRateLimitWait: 60 } }),
	},
	'the budget has no room': {
		goesWrong: () => write(withBudget('0.000001')),
		remedy: () => undefined,
		works: () => write(withBudget('1')),
	},
	'somebody has paused the budget by hand': {
		goesWrong: async () => {
			await operate('getBudget');
			row()['note'] = 'An agent loops';
			await operate('getBudget');
			return await write(withBudget('1'));
		},
		remedy: async () => {
			row()['note'] = '';
			await operate('getBudget');
		},
		works: () => write(withBudget('1')),
	},
	'a workflow has paused the budget': {
		goesWrong: async () => {
			await operate('pause', { reason: 'An agent loops' });
			return await write(withBudget('1'));
		},
		remedy: () =>
			run({ ...budget('resume'), secrets: withBudget('1', { workflowsMayResume: true }) }),
		works: () => write(withBudget('1')),
	},
	'the answer to a start is lost, and the job is not there': {
		goesWrong: async () => {
			failPosts(rig.service, status(500), 1);
			await once();
			return await once();
		},
		remedy: async () => {
			const { items } = await rig.ledger('getEntries', { filters: { state: 'unknown' } });
			expect(items).toMatchObject([{ json: { uniqueKey: 'order-7' } }]);
			await rig.ledger('markNotStarted', { uniqueKey: 'order-7' });
		},
		works: once,
	},
	'the answer to a start is lost, and the job is there': {
		goesWrong: async () => {
			failPosts(rig.service, { type: 'reset_peer', effect: true }, 1);
			await once();
			return await once();
		},
		remedy: () => rig.ledger('markStarted', { uniqueKey: 'order-7', jobId: lastJob() }),
		works: once,
	},
	'the key is refused': {
		goesWrong: () => write(secretsOf({ apiKey: 'an-old-key-of-the-service' })),
		remedy: () => undefined,
		works: () => write(secretsOf()),
	},
	'the file of a job is gone': {
		goesWrong: async () => {
			await once();
			expire();
			return await pictureOf('download');
		},
		remedy: () => run(rig.starting('another')),
		works: () => pictureOf('download'),
	},
	'a job does not end in time': {
		goesWrong: async () => {
			rig.service.forms.jobSteps = 1000;
			await once();
			return await pictureOf('wait', { maxWait: 1 });
		},
		remedy: () => (rig.service.forms.jobSteps = 0),
		works: () => pictureOf('wait'),
	},
	'the Data Tables are full, for the ledger': {
		goesWrong: async () => {
			const full = status(400, 'Data table size limit exceeded: 200MB used, limit is 200MB');
			rig.n8n.service.fault({ match: { method: 'POST' }, do: full });
			return await run(rig.starting('one'));
		},
		remedy: () => rig.n8n.service.reset(),
		works: () => run(rig.starting('one')),
	},
	'the Data Tables are full, for the budget': {
		goesWrong: async () => {
			const full = status(400, 'Data table size limit exceeded: 200MB used, limit is 200MB');
			await operate('getBudget');
			rig.n8n.service.fault({ match: { method: 'PATCH' }, do: full });
			return await write(withBudget('1'));
		},
		remedy: () => rig.n8n.service.reset(),
		works: () => write(withBudget('1')),
	},
};

it.each(Object.entries(rows))('%s: the runbook has it', async (_what, trouble) => {
	const { goesWrong, remedy, works } = trouble;
	const { error } = await goesWrong();
	const { message = '', description } = error ?? {};
	expect([message, quoted.some((title) => title.test(message))]).toEqual([message, true]);
	expect(description).toContain(RUNBOOK);
	await remedy();
	expect((await works()).error?.message).toBeUndefined();
});
