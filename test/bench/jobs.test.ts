import { imageJobs, otherId, statePath, watchedId } from './jobs';

const told = (text: string) => {
	const jobs = imageJobs();
	jobs.tell(new URLSearchParams(text));
	const get = (path: string) => jobs.answer('GET', path);
	return { ...jobs, get, read: (id: string) => get(statePath(id)) };
};

it.each([
	['before all others had their turn', [1, 2, 1, 3], 1],
	['after that', [1, 2, 3, 1], 0],
])('counts what is asked for again %s', (_when, order, tooEarly) => {
	const jobs = told('jobs=3&latency=7');
	for (const job of order) expect(jobs.read(watchedId(job))?.latency).toBe(7);
	expect(jobs.read(otherId(1))?.latency).toBe(7);
	expect(jobs.counts()).toMatchObject({ reads: 4, asked: 3, tooEarly });
	jobs.tell(new URLSearchParams('jobs=3&latency=0'));
	expect(jobs.counts()).toMatchObject({ reads: 0, asked: 0, tooEarly: 0 });
});

it('tells which file was sent twice, once the jobs have ended', () => {
	const jobs = told('jobs=2&latency=0');
	expect(String(jobs.read(watchedId(1))?.body)).toContain('processing');
	jobs.tell(new URLSearchParams('end'));
	expect(String(jobs.read(watchedId(1))?.body)).toContain('completed');
	for (const job of [1, 2, 2]) jobs.get(`${statePath(watchedId(job))}/content`);
	expect(jobs.counts()).toMatchObject({ delivered: 2, twice: 1 });
	expect(jobs.get('/v1/videos/jobs/file-1/content')).toBeUndefined();
});
