import { startService, type Fault, type Service } from '../service/service';
import { job, secretsOf } from './rig/calls';
import { run } from './rig/run';

// the life of a media job: its id is never lost, and a file is stored whole or not at all
let service: Service;
beforeAll(async () => (service = await startService()));
beforeEach(() => service.reset());
afterAll(() => service.stop());

const model = { __rl: true, mode: 'id', value: 'canvas/sketch-1' };
const carryOn = { onError: 'continueErrorOutput' };
const execute = (operation: string, parameters: object, settings: object = {}) =>
	run({
		...job(operation, { mediaType: 'images', ...parameters }),
		secrets: secretsOf(service),
		settings,
	});
const startJob = async (prompt = 'a cat') =>
	(await execute('start', { model, prompt })).items[0]?.json['jobId'] as string;
const generate = (prompt: string, options: object = {}, settings: object = carryOn) =>
	execute('generate', { model, prompt, options }, settings);

describe('generate', () => {
	it('survives failed status requests', async () => {
		service.fault({
			match: { method: 'GET', path: '/jobs/' },
			times: 5,
			do: { type: 'status', status: 502 },
		});
		const { items } = await generate('a cat');
		expect(items).toMatchObject([
			{ json: { state: 'completed' }, binary: { data: { mimeType: 'image/png' } } },
		]);
		expect(service.starts('a cat')).toBe(1);
	});

	it('tells of a failed job with its id; it costs nothing and is not started again', async () => {
		const { failed } = await generate(
			'a cat [[fail]]',
			{},
			{ ...carryOn, retryOnFail: true, maxTries: 3, waitBetweenTries: 1 },
		);
		expect(failed).toMatchObject([
			{
				json: {
					error: expect.stringMatching(/^The media job failed.*\(jobId: /),
					details: { jobId: expect.any(String) },
				},
			},
		]);
		expect(service.starts('a cat')).toBe(1);
	});

	it('that ends the node names its one job once, without alarm', async () => {
		const { error } = await generate('a cat [[fail]]', {}, {});
		const metadata = error?.context?.['metadata'] as { ids?: { jobId?: string } };
		expect(metadata.ids?.jobId).toBeTruthy();
		expect(error?.description).toMatch(/not charged/);
		expect(error?.description).not.toContain('had started');
	});

	it('ends at its deadline with the id and how to go on', async () => {
		const { failed } = await generate('a cat [[never]]', { maxWait: 1 });
		expect(failed).toMatchObject([
			{
				json: {
					error: expect.stringMatching(/not finished after 1 s.*do not start it again/),
					details: { kind: 'timeout', jobId: expect.any(String) },
				},
			},
		]);
	});

	it('keeps the id when the download fails', async () => {
		service.fault({ match: { path: '/content' }, do: { type: 'limit_data', bytes: 20 } });
		const { failed } = await generate('a cat');
		expect(failed[0]?.json).toMatchObject({
			error: expect.stringMatching(/was not downloaded completely .*jobId/),
			details: { jobId: expect.any(String) },
		});
	});

	it('begins a broken download anew', async () => {
		service.fault({ match: { path: '/content' }, times: 1, do: { type: 'limit_data', bytes: 20 } });
		const { items } = await generate('a cat');
		expect(items).toHaveLength(1);
		expect(service.starts('a cat')).toBe(1);
	});

	it('waits for a file that is a moment late', async () => {
		const body = { error: { code: 'job_not_completed', message: 'not yet' } };
		service.fault({
			match: { path: '/content' },
			times: 1,
			do: { type: 'status', status: 409, body },
		});
		expect((await generate('a cat')).items).toHaveLength(1);
	});

	it.each<[string, Fault | Fault[]]>([
		['an answer that is cut', { type: 'cut_json', effect: true }],
		['an answer without an id', { type: 'body', body: '{"ok":true}', effect: true }],
		['a null id', { type: 'body', body: '{"id":null}', effect: true }],
		['a connection that breaks', { type: 'reset_peer', effect: true }],
	])('calls the outcome unknown after %s, and does not start again', async (_what, fault) => {
		service.fault({ match: { method: 'POST' }, do: fault });
		const { failed } = await generate(
			'a cat',
			{},
			{ ...carryOn, retryOnFail: true, maxTries: 3, waitBetweenTries: 1 },
		);
		expect(failed[0]?.json).toMatchObject({
			error: expect.stringContaining('It is not known whether'),
			details: { outcome: 'unknown' },
		});
		expect(service.starts('a cat')).toBe(1);
	});
});

it('a job that was started and is not known afterwards keeps the answer to its start', async () => {
	service.fault({
		match: { method: 'GET', path: 'jobs' },
		do: { type: 'status', status: 404 },
	});
	const { failed } = await generate('a cat', {}, carryOn);
	expect(failed[0]?.json).toMatchObject({
		error: expect.stringMatching(/^The media job is lost/),
		details: { partial: { job: { id: service.world.starts[0]?.jobId } } },
	});
});

describe('wait and get', () => {
	it('says that a job is lost when the service does not know it for long', async () => {
		const { failed } = await execute('wait', { jobId: 'nobody' }, carryOn);
		expect(failed[0]?.json).toMatchObject({
			error: expect.stringMatching(/^The media job is lost.*\(jobId: nobody\)/),
		});
	});

	it('gives a failed job as an item, without a top-level error', async () => {
		const { items } = await execute('wait', { jobId: await startJob('x [[fail]]') });
		expect(items[0]?.json).toMatchObject({ state: 'failed' });
		expect(items[0]?.json).not.toHaveProperty('error');
	});

	it('ends at once when the key is refused, with the id', async () => {
		service.fault({ do: { type: 'status', status: 401 } });
		const { failed } = await execute('wait', { jobId: 'some-job' }, carryOn);
		expect(failed[0]?.json).toMatchObject({ details: { status: 401, jobId: 'some-job' } });
		expect(service.requests).toHaveLength(1);
	});

	it.each(['', '.', '..', '../x', '%2e%2e', 'a\r\nb', 'a\0b', 'x'.repeat(20_000), '\ud800'])(
		'refuses the job id %j before any request',
		async (jobId) => {
			const { error } = await execute('get', { jobId: `={{ ${JSON.stringify(jobId)} }}` });
			expect(error?.message).toMatch(/Job ID/);
			expect(service.requests).toEqual([]);
		},
	);
});

describe('download', () => {
	const download = async (parameters: object = {}) =>
		await execute('download', { jobId: await completed(), ...parameters }, carryOn);
	const completed = async () => {
		service.forms.jobSteps = 0;
		return await startJob();
	};

	it('says that an unfinished job has no file yet', async () => {
		const { failed } = await execute('download', { jobId: await startJob('x [[never]]') }, carryOn);
		expect(failed[0]?.json).toMatchObject({
			error: expect.stringContaining('not finished yet'),
			details: { status: 409 },
		});
	});

	it('says when files expire', async () => {
		const jobId = await completed();
		const body = { error: { code: 'content_expired', message: 'gone' } };
		service.fault({ match: { path: '/content' }, do: { type: 'status', status: 410, body } });
		const { failed } = await execute('download', { jobId }, carryOn);
		expect(failed[0]?.json).toMatchObject({
			error: expect.stringContaining('7 days'),
			details: { status: 410, jobId },
		});
	});

	it.each<[string, Fault | Fault[], RegExp]>([
		['a login page', { type: 'login_page' }, /cannot be read/],
		[
			'an error as JSON',
			{ type: 'body', body: '{"error":"x"}', contentType: 'application/json' },
			/cannot be read/,
		],
		['nothing', { type: 'body', body: '' }, /cannot be read/],
		['too few bytes', { type: 'content_length', add: 10 }, /was not downloaded completely/],
	])('stores nothing in place of a file: %s', async (_what, fault, message) => {
		const jobId = await completed();
		service.fault({ match: { path: '/content' }, do: fault });
		const { failed, items } = await execute('download', { jobId }, carryOn);
		expect(items).toEqual([]);
		expect(failed[0]?.json['error']).toMatch(message);
	});

	it.each(['present', 'absent'] as const)(
		'refuses a file over the size limit (content-length %s)',
		async (form) => {
			service.forms.contentLength = form;
			service.forms.jobSteps = 0;
			const jobId = await startJob('x [[size:60000000]]');
			const { failed } = await execute('download', { jobId, options: { maxSizeMib: 1 } }, carryOn);
			expect(failed[0]?.json['error']).toMatch(/larger than 1 MiB .*jobId/);
			await service.settled();
			expect(service.requests.at(-1)?.abandoned).toBe(true);
		},
	);

	it('gives the file a safe name and the type that its bytes tell', async () => {
		service.forms.contentType = 'text/plain';
		service.forms.contentDisposition = 'attachment; filename="../../evil.html"';
		const { items } = await download({ binaryProperty: 'picture' });
		expect(items[0]).toMatchObject({
			json: {
				file: { fileName: 'evil.png', mimeType: 'image/png' },
			},
			binary: { picture: { mimeType: 'image/png', fileExtension: 'png' } },
		});
	});
});
