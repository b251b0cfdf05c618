import { setImmediate as turn } from 'node:timers/promises';
import type { IDataObject, INodeParameters } from 'n8n-workflow';

import { callTool } from './rig/agentTool';
import { budget, failPosts, job, LOST, PICTURE, posts, RETRIED, type Paying } from './rig/calls';
import { ours, runFlow, type Flow } from './rig/flow';
import { startLedgerRig } from './rig/ledger';
import { run, start, type RunOptions, shownText } from './rig/run';

// what an execution by hand gives again of what an earlier one has paid: in the process, and in the job ledger
const rig = startLedgerRig();

let last = 0;
let workflow = '';
/** What is kept in the process is of a workflow: each test has its own. */
beforeEach(() => (workflow = `workflow-${++last}`));

const places = [
	['the process', { useJobLedger: false }],
	['the job ledger', {}],
] as const;
/** An execution by hand, of its own number. */
const building = (
	call: Paying,
	more: Partial<RunOptions> = {},
	fields: IDataObject = {},
): RunOptions => ({
	...call,
	secrets: rig.account(fields),
	mode: 'manual',
	workflowId: workflow,
	executionId: `execution-${++last}`,
	...more,
});
const build = async (...given: Parameters<typeof building>) => await run(building(...given));
const picture = (operation = 'generate', parameters: INodeParameters = {}) =>
	job(operation, { ...PICTURE, ...parameters });
const anew = { options: { whileBuilding: 'anew' } };
type Built = Awaited<ReturnType<typeof build>>;
const jobsOf = ({ items }: Built) => items.map(({ json }) => json['jobId']);
const starts = () => rig.service.starts('');
/** The next execution that waits for a job ends before it has it. */
const interruptWait = () =>
	rig.service.fault({
		match: { method: 'GET', path: '/jobs/' },
		times: 1,
		do: { type: 'status', status: 401 },
	});

describe.each(places)('kept in %s', (_place, fields) => {
	const again = async (call = picture(), more: Partial<RunOptions> = {}) =>
		await build(call, more, fields);

	it('a picture that is built five times is one job, one payment and five equal files', async () => {
		const { result, paid } = await rig.service.paidFor(async () => {
			const built: Built[] = [];
			for (let time = 0; time < 5; time++) built.push(await again());
			return built;
		});
		const [first, ...others] = result;
		expect([starts(), paid]).toEqual([1, 40_000]);
		expect(new Set(result.map(({ items: [item] }) => item?.binary?.['data']?.data)).size).toBe(1);
		expect(first?.items[0]?.json).not.toHaveProperty('reusedFrom');
		for (const { items, hints } of others) {
			const { time, executionId } = items[0]?.json['reusedFrom'] as IDataObject;
			expect(items[0]?.json).toMatchObject({ jobId: jobsOf(first!)[0], costUsd: 0 });
			expect([Date.parse(String(time)), executionId]).toEqual([
				expect.any(Number),
				`execution-${last - 4}`,
			]);
			expect(hints).toEqual([
				expect.stringMatching(
					/^From \d{4}-\d\d-\d\d \d\d:\d\d UTC, nothing was paid: .*"While Building: Always Start Anew"/,
				),
			]);
		}
	});

	it('three equal items stay three, and a fourth is paid', async () => {
		const three = await again(picture('start'), { items: [{}, {}, {}] });
		const four = await again(picture('start'), { items: [{}, {}, {}, {}] });
		expect([new Set(jobsOf(four)).size, starts()]).toEqual([4, 4]);
		expect(jobsOf(four).slice(0, 3)).toEqual(jobsOf(three));
		expect(jobsOf(await again(picture('start'), { items: [{}, {}, {}, {}] }))).toEqual(
			jobsOf(four),
		);
	});

	it('equal items of one execution are never given one of its own', async () => {
		expect(new Set(jobsOf(await again(picture('start'), { items: [{}, {}] }))).size).toBe(2);
	});

	it.each<[string, () => Promise<Built>]>([
		['another prompt', async () => await again(picture('generate', { prompt: 'a dog' }))],
		['another operation', async () => await again(picture('start'))],
		[
			'another media parameter',
			async () => await again(picture('generate', { options: { parameters: '{"seed":1}' } })),
		],
		['another node', async () => await again(picture(), { settings: { id: 'another' } })],
		['a copy of the workflow', async () => await again(picture(), { workflowId: 'copy' })],
		['a workflow that is not saved', async () => await again(picture(), { workflowId: '' })],
		[
			'another key in the credential',
			async () => {
				rig.service.setBalance(1e8, 'another-key');
				return await again(picture(), {
					secrets: rig.account({ ...fields, apiKey: 'another-key' }),
				});
			},
		],
		[
			'another header in the credential',
			async () => {
				const header = { additionalHeader1Name: 'x-tenant', additionalHeader1Value: 'two' };
				return await again(picture(), { secrets: rig.account({ ...fields, ...header }) });
			},
		],
		['Always Start Anew', async () => await again(picture('generate', anew))],
		['production', async () => await again(picture(), { mode: 'trigger' })],
		['a sub-workflow', async () => await again(picture(), { mode: 'integrated' })],
		['a retry', async () => await again(picture(), { mode: 'retry' })],
		['an evaluation', async () => await again(picture(), { mode: 'evaluation' })],
	])('%s is a new job', async (_what, other) => {
		await again();
		const { items, hints } = await other();
		expect(items[0]?.json).toMatchObject({ costUsd: 0.04 });
		expect([starts(), hints.join()]).toEqual([2, expect.not.stringContaining('From')]);
	});

	it('an execution whose memory is empty is not given its own job either', async () => {
		for (let time = 0; time < 2; time++) await again(picture(), { executionId: 'of-both' });
		expect(starts()).toBe(2);
	});

	it('other files are a new job, the same bytes are not', async () => {
		const inputs = { input: [{ name: 'image', source: 'binary', binaryProperty: 'data' }] };
		const file = (text: string) => ({
			files: { data: { data: btoa(text), mimeType: 'image/png', fileName: `${++last}.png` } },
		});
		await again(picture('start', { inputs }), file('one'));
		await again(picture('start', { inputs }), file('one'));
		expect(starts()).toBe(1);
		await again(picture('start', { inputs }), file('two'));
		expect(starts()).toBe(2);
	});

	it('what Always Start Anew has paid for is what is given from then on', async () => {
		await again();
		const second = await again(picture('generate', anew));
		expect(jobsOf(await again())).toEqual(jobsOf(second));
		expect(starts()).toBe(2);
	});

	it('an evaluation is given what was paid where the node says so', async () => {
		const rows = Array.from({ length: 7 }, (_, row) => ({ row }));
		const call = picture('generate', {
			prompt: '=picture {{ $json.row }}',
			options: { whileBuilding: 'reuse' },
		});
		for (let time = 0; time < 2; time++)
			for (const row of rows) await again(call, { mode: 'evaluation', items: [row] });
		expect(starts()).toBe(7);
	});

	it('a job that still runs is joined', async () => {
		rig.service.forms.jobSteps = 50;
		interruptWait();
		const first = await again();
		expect(first.error?.message).toMatch(/refused the API key/);
		rig.service.forms.jobSteps = 0;
		const { items } = await again();
		expect(items[0]?.json).toMatchObject({ state: 'completed', costUsd: 0 });
		expect(starts()).toBe(1);
	});

	it('a failed job is not given again', async () => {
		const failing = picture('generate', { prompt: '[[fail]]' });
		expect((await again(failing)).error).toBeDefined();
		expect((await again(failing)).error).toBeDefined();
		expect(starts()).toBe(2);
	});

	it.each([410, 404])(
		'a file that is gone (%d) is a new job, and a hint says so',
		async (status) => {
			const first = await again();
			const isNew = status === 404;
			rig.service.fault({
				match: { path: `${String(jobsOf(first)[0])}/content` },
				times: isNew ? 2 : Infinity,
				do: { type: 'status', status },
			});
			const { items, hints } = await again();
			// right after its start, a file may be late
			expect([starts(), jobsOf({ items } as Built)[0] === jobsOf(first)[0]]).toEqual(
				isNew ? [1, true] : [2, false],
			);
			if (!isNew)
				expect(hints[0]).toMatch(
					/^The job job-\S+ that execution execution-\d+ has paid for is gone/,
				);
		},
	);

	it('a start of unknown outcome stays unknown until somebody decides', async () => {
		failPosts(rig.service, LOST, 1);
		const first = await again();
		expect(first.error?.context?.['metadata']).toMatchObject({ outcome: 'unknown' });
		const second = await again();
		expect(shownText(second.error)).toMatch(
			/^It is not known whether execution execution-\d+ has started this job\. .*Nothing was sent now.*"While Building: Always Start Anew"/s,
		);
		expect(second.error?.context?.['metadata']).toMatchObject({ outcome: 'unknown' });
		expect(starts()).toBe(1);
		await again(picture('generate', anew));
		expect((await again()).items).toHaveLength(1);
		expect(starts()).toBe(2);
	});

	it('a start that is stopped on its way is of unknown outcome, too', async () => {
		failPosts(rig.service, { type: 'timeout', effect: true }, 1);
		const { finished, stop } = start(building(picture(), {}, fields));
		while (!starts()) await turn();
		stop();
		await finished;
		await rig.service.settled();
		const kept = async () => (await again()).error?.message;
		expect(await kept()).toMatch(/^It is not known whether execution/);
		expect(starts()).toBe(1);
	});

	it('Resend If Outcome Is Unknown sends it again', async () => {
		failPosts(rig.service, LOST, 1);
		await again();
		await again(picture('generate', { requestSettings: { resendIfUnknown: true } }));
		expect(starts()).toBe(2);
	});

	it('what Retry On Fail has sent again is given from then on', async () => {
		failPosts(rig.service, LOST, 1);
		const resend = picture('generate', { requestSettings: { resendIfUnknown: true } });
		const first = await again(resend, { settings: RETRIED });
		expect([first.error, starts()]).toEqual([undefined, 2]);
		expect(jobsOf(await again(resend))).toEqual(jobsOf(first));
		expect(starts()).toBe(2);
	});

	it('Retry On Fail gives each item what it had, and pays once for what was refused', async () => {
		const items = ['one', 'two', 'two'].map((text) => ({ text }));
		const call = picture('start', { prompt: '={{ $json.text }}' });
		const refuseOnce = () =>
			rig.service.fault({
				match: { method: 'POST', bodyIncludes: 'two' },
				times: 1,
				do: { type: 'status', status: 403 },
			});
		refuseOnce();
		const first = await again(call, { items, settings: RETRIED });
		expect([first.error, starts()]).toEqual([undefined, 3]);
		const second = await again(call, { items, settings: RETRIED });
		expect([new Set(jobsOf(second)), starts()]).toEqual([new Set(jobsOf(first)), 3]);
	});

	it('Wait for Job says so, too, of a job that a node before it was given', async () => {
		const flow = async (): Promise<IDataObject> => {
			const nodes = [
				ours('Start', 'modelRouter', picture('start')),
				ours('Wait', 'modelRouter', job('wait', { mediaType: 'images' })),
			];
			const { data } = await runFlow({
				secrets: rig.account(fields),
				nodes,
				wires: [['Start', 'Wait']],
				mode: 'manual',
				workflowId: workflow,
				executionId: `execution-${++last}`,
			} satisfies Flow);
			const { runData, metadata } = data.resultData;
			const { json } = runData['Wait']?.[0]?.data?.['main']?.[0]?.[0] ?? { json: {} };
			return { ...json, metadata: metadata ?? {} };
		};
		expect(await flow()).toMatchObject({ costUsd: 0.04, metadata: { costUsd: '0.04' } });
		const second = await flow();
		expect(second).toMatchObject({
			costUsd: 0,
			reusedFrom: { executionId: `execution-${last - 1}` },
		});
		expect(second['metadata']).not.toHaveProperty('costUsd');
	});

	it("an agent's tool is given it, and its model is told", async () => {
		const tool = picture('start', {
			allowAgents: true,
			prompt: "={{ $fromAI('prompt', '', 'string') }}",
		});
		const ask = async () => {
			const { answers } = await callTool('by the engine', {
				tool,
				calls: [{ prompt: 'a cat' }, { prompt: 'a cat' }],
				secrets: rig.account(fields),
				mode: 'manual',
				workflowId: workflow,
				executionId: `execution-${++last}`,
			});
			return answers.join();
		};
		expect(await ask()).not.toContain('reusedFrom');
		expect((await ask()).match(/"reusedFrom"/g)).toHaveLength(2);
		expect(starts()).toBe(2);
	});
});

it('another customer is given nothing of the first', async () => {
	const { main } = rig.service.router.keys;
	rig.service.setBalance(1e8, 'another-key');
	for (const fields of places.map(([, one]) => ({ ...one, apiKey: '={{ $json.key }}' }))) {
		const of = async (key: string) => await build(picture('start'), { items: [{ key }] }, fields);
		const [first] = [await of(main), await of('another-key')];
		expect(starts()).toBe(2);
		expect(jobsOf(await of(main))).toEqual(jobsOf(first));
		rig.service.world.starts.length = 0;
	}
	expect(JSON.stringify(rig.n8n.rows)).not.toMatch(new RegExp(`another-key|${main}`));
});

it.each([
	['markStarted', 1],
	['markNotStarted', 2],
])('what a person decides about a tracked start holds here, too: %s', async (decision, most) => {
	const tracked = picture('start', { useLedger: true });
	failPosts(rig.service, LOST, 1);
	await build(tracked);
	expect((await build(tracked)).error?.message).toMatch(/^It is not known whether execution/);
	const { jobs } = rig.service.world;
	const jobId = decision === 'markStarted' && { jobId: [...jobs.keys()][0] };
	await rig.ledger(decision, { findBy: 'entryId', entryId: 1, ...jobId });
	const { items, error } = await build(tracked);
	expect([error, items.length, starts()]).toEqual([undefined, 1, most]);
});

it('a Unique Key alone decides about its job', async () => {
	const call = picture('start', { useLedger: true, uniqueKey: 'order-1' });
	await build(call);
	const { items } = await build(call);
	expect(items[0]?.json).toMatchObject({ startedBefore: true });
	expect(rig.states()).toEqual(['pending']);
});

it('a file that is late after a long job is no reason for another job', async () => {
	await build(picture());
	for (const row of rig.n8n.rows) row['startedAt'] = Number(row['startedAt']) - 600_000;
	rig.service.fault({
		match: { path: '/content' },
		times: 2,
		do: { type: 'status', status: 404 },
	});
	const { items } = await build(picture());
	expect([items[0]?.json['costUsd'], starts()]).toEqual([0, 1]);
});

it('a job that is given again is tracked once, and delivered once', async () => {
	const tracked = (operation: string) => picture(operation, { useLedger: true });
	const { deliver } = rig.watching();
	await build(picture('start'));
	const { items } = await build(tracked('start'));
	expect(items[0]?.json).toMatchObject({ costUsd: 0, entryId: expect.any(Number) });
	expect(await deliver()).toHaveLength(1);
	await build(tracked('start'));
	expect([await deliver(), starts()]).toEqual([[], 1]);
	interruptWait();
	await build(tracked('generate'));
	expect((await build(tracked('generate'))).items).toHaveLength(1);
	expect([await deliver(), starts()]).toEqual([[], 2]);
});

it('the rows are delivered by no trigger, listed by no operation, and 200 at most', async () => {
	await build(picture('start'));
	expect(await rig.watching().deliver()).toEqual([]);
	expect((await rig.ledger('getEntries')).items).toEqual([]);
	const [row] = rig.n8n.rows;
	for (let id = 2; id < 210; id++) rig.n8n.rows.push({ ...row, id, uniqueKey: 'other' });
	rig.n8n.rows.push({ ...row, id: 210, credentialId: 'another' });
	await build(picture('start', { prompt: 'a dog' }));
	expect(rig.states()).toHaveLength(201);
	expect(rig.n8n.rows.at(-1)).toMatchObject({ state: 'reusable', jobId: '', mediaType: '' });
});

it('a job that is joined and given again is counted once in the budget and the record of spending', async () => {
	const fields = { budgetUsd: '1', recordSpending: true };
	interruptWait();
	for (let time = 0; time < 3; time++) await build(picture(), {}, fields);
	const { items } = await run({ ...budget('getBudget'), secrets: rig.account(fields) });
	expect(items[0]?.json).toMatchObject({ spentUsd: 0.04, reservedUsd: 0 });
	expect(rig.n8n.spending).toMatchObject([{ requests: 1, costUsd: 0.04, unknownCosts: 0 }]);
	expect(starts()).toBe(1);
});

it('a job that has failed after its execution was interrupted leaves nothing reserved', async () => {
	const fields = { budgetUsd: '1' };
	interruptWait();
	for (let time = 0; time < 2; time++)
		await build(picture('generate', { prompt: '[[fail]]' }), {}, fields);
	const { items } = await run({ ...budget('getBudget'), secrets: rig.account(fields) });
	expect([items[0]?.json['reservedUsd'], starts()]).toEqual([0, 2]);
});

it('where the ledger cannot be read, nothing is sent; where it cannot be written, a hint says so', async () => {
	rig.n8n.missingScopes.add('dataTableRow:read');
	const { error } = await build(picture());
	expect([error?.context?.['metadata'], posts(rig.service)]).toMatchObject([
		{ outcome: 'not_started' },
		[],
	]);
	rig.n8n.missingScopes.clear();
	rig.n8n.missingScopes.add('dataTableRow:create');
	const { items, hints } = await build(picture());
	expect([items.length, hints.join()]).toEqual([
		1,
		expect.stringContaining('could not be recorded for later executions'),
	]);
});
