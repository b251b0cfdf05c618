import { otherId, watchedId, watchedJobs, watchedPath } from './watchedJobs';

function askedFor(jobs: number, ...ids: string[]) {
	const watched = watchedJobs();
	watched.control(`/_watched?jobs=${jobs}&latency=7`);
	const answers = ids.map((id) => watched.answer(watchedPath(id)));
	return { answers, counts: JSON.parse(watched.control('/_watched') ?? '') as unknown };
}

it('tells which job was asked for again before all others had their turn', () => {
	const [one, two, three] = [watchedId(1), watchedId(2), watchedId(3)];
	expect(askedFor(3, one, two, one, three).counts).toMatchObject({
		reads: 4,
		asked: 3,
		tooEarly: 1,
	});
	expect(askedFor(3, one, two, three, one).counts).toMatchObject({
		reads: 4,
		asked: 3,
		tooEarly: 0,
	});
});

it('answers what is not watched alike, and does not count it', () => {
	const { answers, counts } = askedFor(1, otherId(1), watchedId(1));
	expect(answers.map((answer) => answer?.latency)).toEqual([7, 7]);
	expect(counts).toMatchObject({ reads: 1, asked: 1, tooEarly: 0 });
});

it('forgets what was before when it is told how many there are', () => {
	const watched = watchedJobs();
	watched.control('/_watched?jobs=2&latency=0');
	watched.answer(watchedPath(watchedId(1)));
	expect(watched.control('/_watched?jobs=2&latency=0')).toBe(
		JSON.stringify({ reads: 0, asked: 0, tooEarly: 0, delivered: 0, twice: 0 }),
	);
});

it('leaves other requests to others', () => {
	expect(watchedJobs().control('/_jobs?hold')).toBeUndefined();
	expect(watchedJobs().answer('/v1/images/jobs/held-1')).toBeUndefined();
});

it('tells which file was sent twice, once the jobs have ended', () => {
	const watched = watchedJobs();
	watched.control('/_watched?jobs=2&latency=0');
	watched.control('/_watched?end');
	const record = watched.answer(watchedPath(watchedId(1)))?.body;
	expect(JSON.parse(String(record))).toMatchObject({ id: watchedId(1), status: 'completed' });
	for (const id of [1, 2, 2]) watched.answer(`${watchedPath(watchedId(id))}/content`);
	expect(JSON.parse(watched.control('/_watched') ?? '')).toMatchObject({ delivered: 2, twice: 1 });
});
