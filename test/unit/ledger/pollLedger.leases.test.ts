import { HOUR, MINUTE, names, watchWorld } from './pollWorld';

describe('several rows of one job', () => {
	it('are handed over once', async () => {
		const { add, answers, asked, poll, deliver, states } = watchWorld();
		for (let row = 0; row < 3; row++) add({ jobId: 'a' });
		answers.set('a', 'completed');
		const { jobs, claim } = await poll();
		expect([jobs.length, jobs[0]?.length, asked.length]).toEqual([1, 3, 1]);
		expect(await deliver(claim)).toEqual(['a']);
		expect(states()).toEqual(['delivered', 'delivered', 'delivered']);
	});

	it('one that is entered later does not bring it again', async () => {
		const { add, answers, poll, deliver, rows } = watchWorld();
		add({ jobId: 'a' });
		answers.set('a', 'completed');
		await deliver((await poll()).claim);
		add({ jobId: 'a' });
		expect((await poll()).jobs).toEqual([]);
		expect(rows.rows[1]).toMatchObject({
			state: 'delivered',
			note: expect.stringContaining('delivered'),
		});
	});

	it('one that is entered while it is delivered waits, and ends with it', async () => {
		const { add, answers, poll, deliver, states, clock } = watchWorld();
		add({ jobId: 'a' });
		answers.set('a', 'completed');
		const { claim } = await poll();
		add({ jobId: 'a' });
		expect((await poll()).jobs).toEqual([]);
		expect(states()).toEqual(['emitting', 'pending']);
		expect(await deliver(claim)).toEqual(['a']);
		await clock.sleep(MINUTE);
		expect((await poll()).jobs).toEqual([]);
		expect(states()).toEqual(['delivered', 'delivered']);
	});

	it('the same id of another account or another kind is another job', async () => {
		const { add, answers, poll } = watchWorld();
		add({ jobId: '1' });
		add({ jobId: '1', segment: 'images' });
		add({ jobId: '1', account: 'b' });
		answers.set('1', 'completed');
		expect(
			(await poll()).jobs
				.flat()
				.map(({ segment }) => segment)
				.sort(),
		).toEqual(['images', 'videos']);
		expect((await poll({ account: 'b' })).jobs).toHaveLength(1);
	});

	it('a thousand of them are one job', async () => {
		const { add, answers, poll, deliver, states } = watchWorld();
		for (let row = 0; row < 1000; row++) add({ jobId: 'a' });
		for (let row = 0; row < 50; row++) add({ jobId: `b${row}` });
		answers.set('a', 'completed').set('b7', 'completed');
		const { jobs, claim } = await poll();
		expect(names(jobs).sort()).toEqual(['a', 'b7']);
		expect((await deliver(claim)).sort()).toEqual(['a', 'b7']);
		expect(states().filter((state) => state === 'delivered')).toHaveLength(1001);
	});
});

describe('the lease', () => {
	const emitted = async () => {
		const world = watchWorld();
		world.add({ jobId: 'a' });
		world.answers.set('a', 'completed');
		const { claim } = await world.poll();
		return { ...world, claim };
	};

	it('what nobody marked is handed over again, and the first one is too late', async () => {
		const { poll, deliver, clock, claim, asked } = await emitted();
		await clock.sleep(9 * MINUTE);
		expect((await poll()).jobs).toEqual([]);
		await clock.sleep(2 * MINUTE);
		const second = await poll();
		expect(names(second.jobs)).toEqual(['a']);
		expect(await deliver(claim)).toEqual([]);
		expect(await deliver(second.claim)).toEqual(['a']);
		expect(asked).toHaveLength(1);
	});

	it('a late one that comes before the next poll delivers', async () => {
		const { poll, deliver, clock, claim } = await emitted();
		await clock.sleep(HOUR);
		expect(await deliver(claim)).toEqual(['a']);
		expect((await poll()).jobs).toEqual([]);
	});

	it('an execution that is killed during the download loses nothing', async () => {
		const { poll, deliver, clock, claim } = await emitted();
		void deliver(claim, { bring: () => new Promise(() => {}) });
		await clock.sleep(11 * MINUTE);
		const second = await poll();
		expect(names(second.jobs)).toEqual(['a']);
		expect(await deliver(second.claim)).toEqual(['a']);
	});

	it('a download that takes longer than the lease keeps it', async () => {
		const { poll, deliver, clock, claim } = await emitted();
		const slow = deliver(claim, {
			async bring(_job, touch) {
				for (let minute = 0; minute < 60; minute++) {
					await clock.sleep(MINUTE);
					await touch();
					expect((await poll()).jobs).toEqual([]);
				}
			},
		});
		expect(await slow).toEqual(['a']);
	});

	it('one that overslept its lease gives out nothing', async () => {
		const { poll, deliver, clock, claim } = await emitted();
		let second: Awaited<ReturnType<typeof poll>> | undefined;
		const slow = await deliver(claim, {
			async bring() {
				await clock.sleep(HOUR);
				second = await poll();
			},
		});
		expect([slow, names(second!.jobs)]).toEqual([[], ['a']]);
		expect(await deliver(second!.claim)).toEqual(['a']);
	});

	it('a second run of the same execution goes on, and a run after its end gives the same', async () => {
		const { deliver, claim, rows } = await emitted();
		await expect(
			deliver(claim, { bring: () => Promise.reject(new Error('broken')) }),
		).rejects.toThrow();
		expect(rows.rows[0]).toMatchObject({ state: 'delivering', failures: 1 });
		expect(await deliver(claim)).toEqual(['a']);
		expect(rows.rows[0]).toMatchObject({ state: 'delivered', failures: 1, execution: 'e' });
		expect(await deliver(claim)).toEqual(['a']);
	});

	it('a job that is given back is handed over again, and counts', async () => {
		const { deliver, poll, claim, clock, rows } = await emitted();
		expect(await deliver(claim, { bring: async () => true })).toEqual([]);
		expect(rows.rows[0]).toMatchObject({ state: 'pending', claim: '', failures: 1 });
		expect((await poll()).jobs).toEqual([]);
		await clock.sleep(2 * MINUTE);
		const second = await poll();
		expect(await deliver(second.claim)).toEqual(['a']);
		expect(rows.rows[0]).toMatchObject({ failures: 2 });
	});

	it('survives a clock that ran ahead', async () => {
		const { rows, poll, add, asked } = await emitted();
		Object.assign(rows.rows[0]!, { leaseUntil: 1e15 });
		const other = add({ jobId: 'b', checkAt: 1e15 });
		await poll();
		expect(names((await poll()).jobs).concat(asked)).toContain('b');
		expect(other.checkAt).toBeLessThan(HOUR);
		expect(rows.rows[0]).toMatchObject({
			state: 'emitting',
			leaseUntil: expect.closeTo(10 * MINUTE, -5),
		});
	});
});
