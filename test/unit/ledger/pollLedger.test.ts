import { ServiceError } from '../../../src/core/errors';
import { allWishes, HOUR, MINUTE, names, SECOND, watchWorld } from './pollWorld';

const refused = (status: number) => new ServiceError('refused', `no ${status}`, { status });

describe('one poll', () => {
	it('hands over what is done, once', async () => {
		const { add, answers, poll, states, deliver } = watchWorld();
		for (const jobId of ['done', 'failed', 'running']) add({ jobId });
		answers.set('done', 'completed').set('failed', 'failed');
		const { jobs, claim, serviceError } = await poll();
		expect(names(jobs).sort()).toEqual(['done', 'failed']);
		expect(jobs.flat()).toMatchObject([
			{ outcome: expect.any(String), record: expect.stringContaining('status'), claim },
			{ state: 'emitting' },
		]);
		expect(serviceError).toBeUndefined();
		expect((await poll()).jobs).toEqual([]);
		expect((await deliver(claim)).sort()).toEqual(['done', 'failed']);
		expect(states()).toEqual(['delivered', 'delivered', 'pending']);
	});

	it('asks young jobs every minute, and old ones rarely', async () => {
		const { add, asked, poll, clock } = watchWorld();
		await clock.sleep(30 * 24 * HOUR);
		const now = clock.now();
		const ages = {
			young: 0,
			tens: 11 * MINUTE,
			hours: 2 * HOUR,
			days: 30 * HOUR,
			weeks: 8 * 24 * HOUR,
		};
		for (const [jobId, age] of Object.entries(ages)) add({ jobId, startedAt: now - age });
		for (let minute = 0; minute < 8 * 60; minute++) {
			await poll();
			await clock.sleep(now + (minute + 1) * MINUTE - clock.now());
		}
		const times = Object.keys(ages).map((id) => asked.filter((one) => one === id).length);
		// eight hours; the youngest grows old meanwhile
		expect(times).toEqual(
			[11 + 25 + 42, 1 + 25 + 42, 48, 8, 2].map((count) => expect.closeTo(count, -1)),
		);
		expect(times).toEqual([...times].sort((one, other) => other - one));
	});

	it('takes a job whose start is not told for a young one', async () => {
		const { add, rows, poll, clock } = watchWorld();
		await clock.sleep(HOUR);
		add({ jobId: 'by hand', startedAt: 0, checkAt: 0 });
		await poll();
		expect(rows.rows[0]).toMatchObject({ startedAt: expect.closeTo(HOUR, -4) });
		expect(rows.rows[0]!.checkAt).toBeLessThan(clock.now() + MINUTE);
	});

	it('asks for its own account and label only', async () => {
		const { add, asked, poll } = watchWorld();
		add({ jobId: 'own', label: 'l' });
		add({ jobId: 'other label', label: 'm' });
		add({ jobId: 'other account', label: 'l', account: 'b' });
		await poll({ label: 'l' });
		expect(asked).toEqual(['own']);
		await poll();
		expect(asked).toEqual(['own', 'other label']);
	});

	it('does not ask before the time that the row says', async () => {
		const { add, asked, poll, clock } = watchWorld();
		add({ jobId: 'later', checkAt: HOUR });
		await poll();
		expect(asked).toEqual([]);
		await clock.sleep(HOUR);
		await poll();
		expect(asked).toEqual(['later']);
	});

	it('leaves what it does not want to others, and does not ask for it again', async () => {
		const { add, answers, asked, poll } = watchWorld();
		add({ jobId: 'a' });
		answers.set('a', 'failed');
		const completed = [{ outcome: 'completed', minimumAge: 0 }] as const;
		expect((await poll({ eventFilters: completed })).jobs).toEqual([]);
		expect((await poll({ eventFilters: completed })).jobs).toEqual([]);
		expect(names((await poll()).jobs)).toEqual(['a']);
		expect(asked).toEqual(['a']);
	});

	it('wants what has waited for long only when it has', async () => {
		const { add, poll, clock } = watchWorld();
		add({ jobId: 'a', outcome: 'completed' });
		const old = [{ outcome: 'completed', minimumAge: HOUR }] as const;
		expect((await poll({ eventFilters: old })).jobs).toEqual([]);
		await clock.sleep(HOUR);
		expect(names((await poll({ eventFilters: old })).jobs)).toEqual(['a']);
	});

	it('hands over no more than the limit, and the rest next time, without asking again', async () => {
		const { add, answers, asked, poll } = watchWorld();
		for (let at = 0; at < 30; at++) {
			add({ jobId: `j${at}` });
			answers.set(`j${at}`, 'completed');
		}
		const first = await poll({ maxJobs: 10 });
		expect(first.jobs).toHaveLength(10);
		const [second, third, fourth] = [
			await poll({ maxJobs: 10 }),
			await poll({ maxJobs: 10 }),
			await poll({ maxJobs: 10 }),
		];
		const all = [first, second, third, fourth].flatMap(({ jobs }) => names(jobs));
		expect([all.length, new Set(all).size, new Set(asked).size]).toEqual([30, 30, asked.length]);
	});

	it('stops asking when its time is up, and goes on in the next poll', async () => {
		const { add, asked, poll, setLatency, clock } = watchWorld();
		setLatency(1000);
		for (let at = 0; at < 100; at++) add({ jobId: `j${at}` });
		await poll({ concurrency: 1, asksUntil: clock.now() + 20 * SECOND });
		const first = asked.length;
		expect(first).toBeGreaterThan(10);
		expect(first).toBeLessThan(25);
		await poll({ concurrency: 1, asksUntil: clock.now() + 20 * SECOND });
		expect(new Set(asked).size).toBe(asked.length);
		expect(asked.length).toBeGreaterThan(first + 10);
	});

	it('claims nothing when the time for that is up', async () => {
		const { add, answers, poll, states, clock } = watchWorld();
		add({ jobId: 'a' });
		answers.set('a', 'completed');
		expect((await poll({ claimsUntil: clock.now() + 50 })).jobs).toEqual([]);
		expect(states()).toEqual(['pending']);
		expect(names((await poll()).jobs)).toEqual(['a']);
	});
});

describe('trouble of one job', () => {
	it('does not hold up the others', async () => {
		const { add, answers, poll, rows } = watchWorld();
		const broken = {
			r500: 500,
			r400: 400,
			cut: new ServiceError('truncated', 'cut off', { reason: 'x' }),
		};
		for (const [jobId, answer] of Object.entries(broken)) {
			add({ jobId });
			answers.set(jobId, answer);
		}
		add({ jobId: 'good' });
		answers.set('good', 'completed');
		const { jobs, serviceError } = await poll();
		expect([names(jobs), serviceError]).toEqual([['good'], undefined]);
		expect(rows.rows.slice(0, 3)).toMatchObject([
			{ failures: 1, note: 'answered 500' },
			{ failures: 1, note: 'answered 400' },
			{ failures: 1, note: 'cut off. x' },
		]);
	});

	it('is asked for rarely after a while, and as often as any once it answers', async () => {
		const { add, answers, asked, poll, clock, rows } = watchWorld();
		add({ jobId: 'bad' });
		answers.set('bad', 500);
		for (let minute = 0; minute < 60; minute++) {
			await poll();
			await clock.sleep(MINUTE);
		}
		expect(asked.length).toBeLessThan(9);
		answers.set('bad', 'unfinished');
		await clock.sleep(HOUR);
		await poll();
		expect(rows.rows[0]).toMatchObject({ failures: 0, note: '' });
	});

	it('is lost when the service does not know it five times in a row', async () => {
		const { add, answers, poll, clock } = watchWorld();
		for (const jobId of ['gone', 'here']) add({ jobId });
		answers.set('gone', 404);
		for (let time = 1; time <= 4; time++) {
			expect((await poll()).jobs).toEqual([]);
			await clock.sleep(MINUTE);
		}
		const { jobs } = await poll();
		expect(jobs.flat()).toMatchObject([
			{ jobId: 'gone', outcome: 'lost', note: 'The service does not know this job (404).' },
		]);
	});

	it('is not lost when the service knows it in between', async () => {
		const { add, answers, poll, clock, rows } = watchWorld();
		add({ jobId: 'a' });
		let asked = 0;
		answers.set('a', () => (++asked % 4 ? 404 : 'unfinished'));
		for (let minute = 0; minute < 12; minute++) {
			await poll();
			await clock.sleep(2 * MINUTE);
		}
		expect(rows.rows[0]).toMatchObject({ outcome: '', state: 'pending' });
	});

	it('is lost at once when no address can hold its id', async () => {
		const { add, answers, poll } = watchWorld();
		add({ jobId: '..' });
		answers.set('..', new ServiceError('invalid', 'Job ID is not usable'));
		expect((await poll()).jobs.flat()).toMatchObject([
			{ outcome: 'lost', note: 'Job ID is not usable' },
		]);
	});
});

describe('trouble of the service', () => {
	const many = (status: number, more: Parameters<typeof watchWorld>[0] = undefined) => {
		const world = watchWorld(more);
		for (let at = 0; at < 40; at++) {
			world.add({ jobId: `j${at}` });
			world.answers.set(`j${at}`, status);
		}
		return world;
	};

	it.each([401, 429])('%d ends the asking at once', async (status) => {
		const { poll, asked, answers } = many(status);
		expect((await poll()).serviceError).toMatchObject({ details: { status } });
		expect(asked.length).toBeLessThanOrEqual(5);
		answers.clear();
		await poll();
		expect(new Set(asked).size).toBe(40);
	});

	it.each([404, 500, 503])(
		'%d of all is no fault of the jobs when nothing answers',
		async (status) => {
			const { poll, asked, answers, rows, setAlive, clock } = many(status);
			setAlive(refused(status));
			for (let time = 0; time < 7; time++) {
				expect((await poll()).serviceError).toMatchObject({ details: { status } });
				await clock.sleep(MINUTE);
			}
			if (status !== 404) expect(asked.length).toBeLessThan(7 * 10 + 1);
			expect(rows.rows.every(({ failures, outcome }) => !failures && !outcome)).toBe(true);
			asked.length = 0;
			answers.clear();
			await poll();
			expect(new Set(asked).size).toBe(40);
		},
	);

	it('five bad jobs in a row end one poll, and hold up nobody for longer', async () => {
		const { add, answers, poll, asked } = watchWorld();
		for (let at = 0; at < 20; at++) {
			add({ jobId: `j${at}` });
			if (at < 10) answers.set(`j${at}`, 500);
			else answers.set(`j${at}`, 'completed');
		}
		const first = await poll();
		expect(first.serviceError).toBeUndefined();
		const second = await poll();
		const third = await poll();
		expect([first, second, third].flatMap(({ jobs }) => names(jobs))).toHaveLength(10);
		expect(asked.filter((id) => id === 'j0')).toHaveLength(1);
	});

	it('what is done is handed over all the same', async () => {
		const { add, answers, poll, setAlive } = watchWorld();
		add({ jobId: 'done', outcome: 'completed' });
		add({ jobId: 'a' });
		answers.set('a', 503);
		setAlive(refused(503));
		const { jobs, serviceError } = await poll();
		expect([names(jobs), serviceError]).toEqual([['done'], expect.any(ServiceError)]);
	});
});

it('three thousand jobs are all asked for in turn, and those that are done come soon', async () => {
	const { add, answers, asked, poll, clock, setLatency } = watchWorld({ latency: () => 8 });
	setLatency(100);
	for (let at = 0; at < 3_000; at++) add({ jobId: `j${at}` });
	const limits = () => ({ concurrency: 8, eventFilters: allWishes });
	for (let minute = 1; minute <= 10; minute++) {
		await poll(limits());
		expect(clock.now()).toBeLessThan(minute * MINUTE);
		await clock.sleep(minute * MINUTE - clock.now());
	}
	// nobody had a second turn before all had the first
	expect(new Set(asked.slice(0, 3_000)).size).toBe(3_000);
	answers.set('j2999', 'completed');
	const found: string[] = [];
	for (let minute = 11; minute <= 20; minute++) {
		found.push(...names((await poll(limits())).jobs));
		await clock.sleep(minute * MINUTE - clock.now());
	}
	expect(found).toEqual(['j2999']);
});
