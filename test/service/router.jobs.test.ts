import { client } from './probe.ts';
import { startService, type Forms, type Service } from './service.ts';

let service: Service;
let clock = 0;
beforeAll(async () => (service = await startService({ now: () => clock })));
beforeEach(() => {
	clock = Date.UTC(2026, 0, 1);
	service.reset();
});
afterAll(() => service.stop());

const http = (key = service.router.keys.main) =>
	client(service.router.baseUrl, { 'x-api-key': key });
const MODELS: Record<string, string> = {
	images: 'canvas/sketch-1',
	videos: 'reel/clip-3',
	music: 'tune/melody-1',
	audio: 'voice/speaker-1',
};
const start = (prompt = 'a cat', segment = 'images', body: object = {}) =>
	http().post(`/v1/${segment}/jobs`, { model: MODELS[segment], prompt, ...body });
const read = (id: string, segment = 'images') =>
	http().get(`/v1/${segment}/jobs/${encodeURIComponent(id)}`);
const content = (id: string, segment = 'images') =>
	http().get(`/v1/${segment}/jobs/${encodeURIComponent(id)}/content`, {
		responseType: 'arraybuffer',
	});
const codeOf = (data: Buffer) =>
	(JSON.parse(data.toString()) as { error: { code: string } }).error.code;
const account = () => {
	const { balance, held } = service.world.accounts.get(service.router.keys.main) ?? {};
	return { balance, held };
};

describe('C jobs: life of a job (3)', () => {
	it.each([
		['images', 'image/png', 'png'],
		['videos', 'video/mp4', 'mp4'],
		['music', 'audio/mpeg', 'mp3'],
		['audio', 'audio/wav', 'wav'],
	])('%s: started, polled, downloaded', async (segment, type, extension) => {
		const started = await start('a cat', segment);
		const { id, estimated_cost: estimated } = started.data;
		expect(started.data).toEqual({
			id: expect.any(String),
			model: MODELS[segment],
			status: 'processing',
			estimated_cost: expect.any(Number),
		});
		expect((await read(id, segment)).data.status).toBe('processing');
		const early = await content(id, segment);
		expect([early.status, codeOf(early.data)]).toEqual([409, 'job_not_completed']);
		expect((await read(id, segment)).data).toMatchObject({ status: 'completed', cost: estimated });
		const file = await content(id, segment);
		expect(file.status).toBe(200);
		expect(file.headers['content-type']).toBe(type);
		expect(file.headers['content-disposition']).toMatch(`.${extension}"`);
		expect(Number(file.headers['content-length'])).toBe((file.data as Buffer).length);
		for (const answer of [started, early, file])
			expect(answer.headers['x-request-id']).toBeDefined();
	});

	it('a job is charged once, when it completes', async () => {
		const before = account().balance ?? 0;
		const { id, estimated_cost: cost } = (await start()).data;
		expect(account().balance).toBe(before);
		await read(id);
		expect(account().balance).toBe(before);
		for (let times = 0; times < 3; times++) await read(id);
		expect(account()).toEqual({ balance: before - cost, held: 0 });
	});

	it('a failed job costs nothing and its hold is released', async () => {
		const before = account();
		const { id } = (await start('[[fail]]')).data;
		expect(account().held).toBeGreaterThan(0);
		await read(id);
		const { data } = await read(id);
		expect(data.status).toBe('failed');
		expect(data).not.toHaveProperty('cost');
		expect(account()).toEqual(before);
		const file = await content(id);
		expect([file.status, codeOf(file.data)]).toEqual([409, 'job_not_completed']);
	});

	it.each([
		['images', 7 * 24],
		['videos', 7 * 24],
		['music', 1],
		['audio', 1],
	])('%s are kept for %i hours (8)', async (segment, hours) => {
		const { id } = (await start('x', segment)).data;
		await read(id, segment);
		await read(id, segment);
		clock += hours * 3_600_000;
		expect((await content(id, segment)).status).toBe(200);
		clock++;
		const gone = await content(id, segment);
		expect([gone.status, codeOf(gone.data)]).toEqual([410, 'content_expired']);
		expect((await read(id, segment)).data.status).toBe('completed');
	});
});

describe('C jobs: when they complete', () => {
	const readsUntilDone = async (prompt: string) => {
		const { id } = (await start(prompt)).data;
		for (let reads = 1; reads < 10; reads++) {
			if ((await read(id)).data.status !== 'processing') return reads;
		}
		return undefined;
	};
	it.each([
		['hi', 2],
		['[[steps:5]]', 5],
		['[[never]]', undefined],
	])('%s: %s reads', async (prompt, reads) => expect(await readsUntilDone(prompt)).toBe(reads));

	it('at once with jobSteps 0', async () => {
		service.forms.jobSteps = 0;
		expect((await start()).data).toMatchObject({ status: 'completed', cost: 40_000 });
	});

	it('by the clock with jobSeconds', async () => {
		service.forms.jobSeconds = 10;
		const { id } = (await start()).data;
		for (let times = 0; times < 5; times++) await read(id);
		clock += 9999;
		expect((await read(id)).data.status).toBe('processing');
		clock++;
		expect((await read(id)).data.status).toBe('completed');
	});
});

describe('C jobs: forms', () => {
	it.each<[Forms['jobPath'], string, number]>([
		['segment', 'images', 200],
		['segment', 'image', 404],
		['kind', 'images', 404],
		['kind', 'image', 200],
		['both', 'images', 200],
		['both', 'image', 200],
	])('paths by %s: /v1/%s/jobs/{id} is %i', async (form, name, status) => {
		service.forms.jobPath = form;
		const { id } = (await start()).data;
		expect((await read(id, name)).status).toBe(status);
	});

	it.each([
		[
			'queued/running words',
			{ field: 'state', pending: 'running', completed: 'succeeded', failed: 'error' },
		],
		[
			'upper case',
			{ field: 'status', pending: 'QUEUED', completed: 'COMPLETED', failed: 'FAILED' },
		],
	])('states: %s', async (_case, jobState) => {
		service.forms.jobState = jobState;
		const { id } = (await start()).data;
		expect((await read(id)).data[jobState.field]).toBe(jobState.pending);
		expect((await read(id)).data[jobState.field]).toBe(jobState.completed);
	});

	it('no state at all', async () => {
		service.forms.jobState = { ...service.forms.jobState, field: '' };
		expect(Object.keys((await start()).data)).toEqual(['id', 'model', 'estimated_cost']);
	});

	it.each<[Forms['jobStart'], (data: Record<string, object>) => unknown]>([
		['bare', (data) => data],
		['job', (data) => data.job],
		['data', (data) => data.data],
	])('wrapped: %s', async (form, record) => {
		service.forms.jobStart = service.forms.jobStatus = form;
		const { id } = record((await start()).data) as { id: string };
		expect(record((await read(id)).data)).toMatchObject({ id });
	});

	it.each<[Forms['jobId'], unknown]>([
		['string', expect.stringMatching(/^job-/)],
		['number', expect.any(Number)],
		['slash', expect.stringMatching(/^job\/\d+ a$/)],
	])('id: %s', async (form, expected) => {
		service.forms.jobId = form;
		const { id } = (await start()).data;
		expect(id).toEqual(expected);
		expect((await read(String(id))).data.id).toBe(id);
	});

	it.each<[Forms['jobCost'], unknown]>([
		['number', 40_000],
		['string', '40000'],
		['absent', undefined],
	])('cost: %s', async (form, expected) => {
		service.forms.jobCost = form;
		expect((await start()).data.estimated_cost).toBe(expected);
	});

	it.each<[Partial<Forms>, string, string | undefined]>([
		[{ contentType: 'missing' }, 'content-type', undefined],
		[{ contentType: 'application/octet-stream' }, 'content-type', 'application/octet-stream'],
		[{ contentDisposition: 'missing' }, 'content-disposition', undefined],
		[
			{ contentDisposition: 'attachment; filename="../../x"' },
			'content-disposition',
			'attachment; filename="../../x"',
		],
		[{ contentLength: 'absent' }, 'content-length', undefined],
	])('content with %j', async (forms, header, expected) => {
		Object.assign(service.forms, forms, { jobSteps: 0 });
		const { id } = (await start()).data;
		expect((await content(id)).headers[header]).toBe(expected);
	});

	it.each([0, 10, 1_000_000])('a file of %i bytes', async (size) => {
		service.forms.jobSteps = 0;
		const { id } = (await start(`[[size:${size}]]`)).data;
		expect((await content(id)).data).toHaveLength(size);
	});
});

describe('C jobs: refusals', () => {
	it('the key is needed for the download too (5)', async () => {
		service.forms.jobSteps = 0;
		const { id } = (await start()).data;
		const { status } = await client(service.router.baseUrl).get(`/v1/images/jobs/${id}/content`);
		expect(status).toBe(401);
		expect((await http(service.router.keys.poor).get(`/v1/images/jobs/${id}`)).status).toBe(404);
	});

	it.each([
		['a text model', 'northwind/quill-2.5', '/v1/chat/completions'],
		['a video model', 'reel/clip-3', '/v1/videos/jobs'],
	])('%s on images: wrong_endpoint', async (_case, model, right) => {
		const { status, data } = await start('x', 'images', { model });
		expect([status, data.error.code]).toEqual([400, 'wrong_endpoint']);
		expect(data.error.message).toMatch(right);
		expect(service.world.starts).toEqual([]);
	});

	it.each([
		['no prompt', { prompt: '' }],
		['no model', { model: undefined }],
	])('%s: refused, nothing booked', async (_case, body) => {
		expect((await start('x', 'images', body)).status).toBe(400);
		expect(service.world.starts).toEqual([]);
	});

	it('an unknown id: 404; a job of another kind too', async () => {
		expect((await read('job-none')).status).toBe(404);
		const { id } = (await start()).data;
		expect((await read(id, 'videos')).status).toBe(404);
	});
});
