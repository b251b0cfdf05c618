import { originalFile, type Accounts } from '../n8n/bridge.ts';
import { callerOfWaiting, exampleWith } from '../n8n/durable.ts';
import { exampleFor, withModels } from '../n8n/example.ts';
import type { Execution, Item } from '../n8n/execution.ts';
import { type WorkflowFile } from '../n8n/workflow.ts';
import { ownOfFile } from './ownN8n.ts';

// what waits for jobs, in n8n's database or not, while n8n is killed and the service is away for a while
const own = ownOfFile();

/** What a node gave in all of its runs. */
const allItems = ({ runData }: Execution, node: string): Item[] =>
	(runData[node] ?? []).flatMap(({ data }) => data?.main?.[0] ?? []);

async function expectWhole({ json, binary }: Item): Promise<void> {
	const bytes = await own.editor.bytesOf(binary?.['data']);
	expect(bytes.equals(await originalFile(own.service, json))).toBe(true);
}

const jobIds = (items: Item[]) => items.map(({ json }) => json['jobId']);
const reads = (jobId: unknown) =>
	own.service.requests.filter(({ path }) => path.endsWith(`/jobs/${String(jobId)}`)).length;

const FAILING = 'A lighthouse at noon [[fail]]';

/** The nightly batch, in which one of the jobs fails. */
function batchWithFailure(accounts: Accounts): WorkflowFile {
	const file = withModels(
		exampleFor(accounts, 'make-pictures-every-night-under-a-spending-cap.json'),
	);
	const sample = file.nodes.find(({ name }) => name === 'Sample Data')!;
	const output = String(sample.parameters['jsonOutput']);
	sample.parameters['jsonOutput'] = output.replace('A lighthouse at noon', FAILING);
	return file;
}

it('survives kill -9 while it waits: every file arrives, and nothing is started twice', async () => {
	const { editor, instance, service, accounts } = own;
	// by their number of readings the second round has some that are done, and one that is not
	const prompts = ['one [[steps:1]]', 'two [[steps:2]]', 'three [[steps:1]] [[fail]]'];
	const files = {
		loop: exampleWith(accounts, 'wait-durably-for-videos.json', prompts),
		caller: await callerOfWaiting(editor, accounts, prompts),
		batch: batchWithFailure(accounts),
	};
	const ids = { loop: '', caller: '', batch: '' };
	for (const name of ['loop', 'caller', 'batch'] as const) {
		ids[name] = await editor.start(await editor.importWorkflow(files[name]));
		const parked = await editor.finishedOrParked(ids[name]);
		expect(parked.status).toBe('waiting');
		// who is told what was not started is told before the wait
		expect(allItems(parked, 'Save What Is Missing')).toHaveLength(name === 'batch' ? 2 : 0);
	}
	const started = [...service.world.starts];
	expect(started).toHaveLength(3 + 3 + 3);

	// this file cannot be had
	const lost = started.find(({ prompt }) => prompt.includes('in the rain'))?.jobId ?? '';
	service.fault({
		match: { path: `/v1/images/jobs/${lost}/content` },
		do: { type: 'status', status: 403 },
	});

	// the first readings find no service, with all that the node tries by itself
	const away = started[0]?.jobId ?? '';
	service.fault({ match: { method: 'GET', path: away }, times: 4, do: { type: 'down' } });
	await instance.restart('kill');
	// on a slow machine the first wait is over by now
	for (const id of Object.values(ids))
		expect((await editor.execution(id)).status).toMatch(/^(waiting|running|success)$/);
	const executions = {
		loop: await editor.finished(ids.loop, 500),
		caller: await editor.finished(ids.caller, 500),
		batch: await editor.finished(ids.batch, 500),
	};
	expect(Object.values(executions).map(({ status }) => status)).toEqual(
		Array.from({ length: 3 }, () => 'success'),
	);

	const { loop, caller, batch } = executions;
	const loopJobs = jobIds(allItems(loop, 'Start'));
	const [one, two, three] = loopJobs;
	// the first could not be read in the first round, so it came with the second
	expect(loopJobs[0]).toBe(away);
	expect(loop.runData['Get']).toHaveLength(2);
	expect(jobIds(allItems(loop, 'Download'))).toEqual([one, two]);
	for (const item of allItems(loop, 'Download')) await expectWhole(item);
	expect(jobIds(allItems(loop, 'No File'))).toEqual([three]);
	expect([reads(two), reads(three)]).toEqual([2, 1]);

	const [first, second, third, ...others] = allItems(caller, 'Call');
	expect(others).toEqual([]);
	expect(new Set([first, second, third].map((item) => item?.json['jobId']))).toEqual(
		new Set(jobIds(allItems(caller, 'Start'))),
	);
	await expectWhole(first!);
	await expectWhole(second!);
	expect(third?.json).toMatchObject({ why: expect.stringContaining('costs nothing') });

	expect(allItems(batch, 'Download')).toHaveLength(1);
	for (const item of allItems(batch, 'Download')) await expectWhole(item);
	const missing = allItems(batch, 'No File').map(({ json }) => json);
	expect(missing).toHaveLength(2);
	expect(missing).toEqual(
		expect.arrayContaining([
			expect.objectContaining({ prompt: FAILING, why: expect.stringMatching(/./) }),
			expect.objectContaining({ jobId: lost, why: expect.stringMatching(/./) }),
		]),
	);
	const notStarted = allItems(batch, 'Not Started').map(({ json }) => json);
	const why = expect.stringContaining('The spending cap of $0.12 for this execution is reached');
	expect(notStarted).toEqual(
		Array(2).fill(expect.objectContaining({ outcome: 'not_started', why })),
	);
	// all of them are rows of the table
	expect(allItems(batch, 'Save What Is Missing')).toHaveLength(4);
	expect(allItems(batch, 'Save What Is Missing').map(({ json }) => json['why'])).toEqual(
		expect.arrayContaining([...missing, ...notStarted].map(({ why }) => why)),
	);

	// exactly one start each, by the books of the service
	expect(service.world.starts).toEqual(started);
}, 900_000);
