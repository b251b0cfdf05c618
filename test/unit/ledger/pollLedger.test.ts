import { ServiceError } from '../../../src/core/errors';
import { HOUR, MINUTE, SECOND, watchWorld, wish } from './pollWorld';

const refused = (status: number) => new ServiceError('refused', `no ${status}`, { status });
const numbered = <Answer>(count: number, answer: Answer) =>
	Object.fromEntries(Array.from({ length: count }, (_, at) => [`j${at}`, answer]));

describe('one poll', () => {
	it('hands over what is done, once', async () => {
		const { add, asked, poll, states, deliver } = watchWorld({
			done: 'completed',
			failed: 'failed',
			running: 'unfinished',
		});
		add('', { state: 'sending' });
		add('of others', { state: 'delivered', claim: 'other' });
		const { jobs, names, claim, serviceError } = await poll();
		expect(names).toEqual(['done', 'failed']);
		expect(jobs.flat()).toMatchObject([
			{ outcome: expect.any(String), record: expect.stringContaining('status'), claim },
			{ state: 'emitting' },
		]);
		expect(serviceError).toBeUndefined();
		expect((await poll()).jobs).toEqual([]);
		expect(await deliver(claim)).toEqual(['done', 'failed']);
		expect(states()).toEqual(['delivered', 'delivered', 'pending', 'sending', 'delivered']);
		expect(new Set(asked)).toEqual(new Set(['done', 'failed', 'running']));
	});

	it('stores the record of a job that runs, but not over an outcome that another poll has found', async () => {
		const { add, rows, poll } = watchWorld();
		add('runs', { failures: 2 });
		add('done meanwhile');
		const readStatus = async ({ jobId }: { jobId: string }) => {
			if (jobId === 'done meanwhile')
				Object.assign(rows[1]!, { outcome: 'completed', record: 'the last one' });
			return { outcome: 'unfinished' as const, record: `of ${jobId}` };
		};
		await poll({ readStatus, eventFilters: [] });
		expect(rows.map(({ record, failures }) => ({ record, failures }))).toEqual([
			{ record: 'of runs', failures: 0 },
			{ record: 'the last one', failures: 0 },
		]);
	});

	it('asks young jobs every minute, and old ones rarely', async () => {
		const { add, asked, poll, clock } = watchWorld();
		await clock.sleep(30 * 24 * HOUR);
		const now = clock.now();
		const ages = [0, 11 * MINUTE, 2 * HOUR, 30 * HOUR, 8 * 24 * HOUR];
		for (const age of ages) add(`${age}`, { startedAt: now - age });
		for (let minute = 0; minute < 8 * 60; minute++) {
			await poll();
			await clock.sleep(now + (minute + 1) * MINUTE - clock.now());
		}
		const times = ages.map((age) => asked.filter((one) => one === `${age}`).length);
		// eight hours; the youngest grows old meanwhile
		expect(times).toEqual(
			[11 + 25 + 42, 1 + 25 + 42, 48, 8, 2].map((count) => expect.closeTo(count, -1)),
		);
		expect(times).toEqual([...times].sort((one, other) => other - one));
	});

	it('takes a job whose start is not told for a young one', async () => {
		const { add, rows, poll, clock } = watchWorld();
		await clock.sleep(HOUR);
		add('by hand', { startedAt: 0, checkAt: 0 });
		await poll();
		expect(rows[0]).toMatchObject({ startedAt: expect.closeTo(HOUR, -4) });
		// a poll that comes a little early finds it due
		expect(rows[0]!.checkAt).toBeLessThan(clock.now() + 50 * SECOND);
	});

	it('asks for its own account and label only, and not before the time that the row says', async () => {
		const { add, asked, poll, clock } = watchWorld();
		add('own', { triggerGroup: 'l' });
		add('other label', { triggerGroup: 'm' });
		add('other account', { triggerGroup: 'l', credentialId: 'b' });
		add('later', { triggerGroup: 'l', checkAt: HOUR });
		add('done', { triggerGroup: 'm', outcome: 'completed' });
		expect((await poll({ triggerGroup: 'l' })).names).toEqual([]);
		expect(asked).toEqual(['own']);
		expect((await poll()).names).toEqual(['done']);
		expect(asked).toEqual(['own', 'other label']);
		await clock.sleep(HOUR);
		await poll({ triggerGroup: 'l' });
		expect(asked.slice(2).sort()).toEqual(['later', 'own']);
	});

	it('leaves what it does not want to others, and does not ask for it again', async () => {
		const { asked, poll } = watchWorld({ a: 'failed' });
		const eventFilters = [wish('completed')];
		expect((await poll({ eventFilters })).jobs).toEqual([]);
		expect((await poll({ eventFilters })).jobs).toEqual([]);
		expect((await poll()).names).toEqual(['a']);
		expect(asked).toEqual(['a']);
	});

	it('wants what has waited for long only when it has', async () => {
		const { add, answers, poll, clock } = watchWorld({ asked: 'completed' });
		add('known', { outcome: 'completed' });
		add('old', { startedAt: clock.now() - HOUR });
		answers.set('old', 'completed');
		const eventFilters = [wish('completed', HOUR)];
		expect((await poll({ eventFilters })).names).toEqual(['old']);
		await clock.sleep(HOUR);
		expect((await poll({ eventFilters })).names).toEqual(['asked', 'known', 'old']);
	});

	it('hands over no more than the limit, and the rest next time, without asking again', async () => {
		const { asked, poll } = watchWorld(numbered(30, 'completed'));
		const all: string[] = [];
		for (const more of [10, 10, 10, 0]) {
			const { names } = await poll({ maxJobs: 10 });
			expect(names).toHaveLength(more);
			all.push(...names);
		}
		expect([new Set(all).size, new Set(asked).size]).toEqual([30, asked.length]);
	});

	it('stops asking when its time is up, and goes on in the next poll', async () => {
		const { asked, poll, setLatency, clock } = watchWorld(numbered(100, 'unfinished'));
		setLatency(1000);
		const limits = () => ({ concurrency: 1, asksUntil: clock.now() + 20 * SECOND });
		await poll(limits());
		const first = asked.length;
		expect(first).toBeGreaterThan(10);
		expect(first).toBeLessThan(25);
		await poll(limits());
		expect(new Set(asked).size).toBe(asked.length);
		expect(asked.length).toBeGreaterThan(first + 10);
	});

	it('claims nothing when the time for that is up', async () => {
		const { poll, states, clock } = watchWorld({ a: 'completed' });
		expect((await poll({ claimsUntil: clock.now() + 50 })).jobs).toEqual([]);
		expect(states()).toEqual(['pending']);
		expect((await poll()).names).toEqual(['a']);
	});
});

describe('trouble of one job', () => {
	it('does not hold up the others', async () => {
		const cut = new ServiceError('truncated', 'cut off', { reason: 'x' });
		const { poll, rows } = watchWorld({ r500: 500, r400: 400, cut, good: 'completed' });
		const { names, serviceError } = await poll();
		expect([names, serviceError]).toEqual([['good'], undefined]);
		expect(rows.slice(0, 3)).toMatchObject(
			['answered 500', 'answered 400', 'cut off. x'].map((note) => ({ failures: 1, note })),
		);
	});

	it('is asked for rarely after a while, and as often as any once it answers', async () => {
		const { answers, asked, poll, polls, clock, rows } = watchWorld({ bad: 500 });
		await polls(60);
		expect(asked.length).toBeLessThan(9);
		answers.set('bad', 'unfinished');
		await clock.sleep(HOUR);
		await poll();
		expect(rows[0]).toMatchObject({ failures: 0, note: '' });
	});

	it('that is in a state of which the meaning is not known is noted once, and asked for on', async () => {
		const { poll, rows, weather, clock } = watchWorld({ odd: 'unfinished' });
		const note = 'It is not known what the state "moderated" means';
		const readStatus = async () => ({ outcome: 'unfinished', record: '', note }) as const;
		const calls = async () => {
			let count = 0;
			weather.latency = () => (count++, 5);
			await poll({ readStatus });
			await clock.sleep(HOUR);
			return count;
		};
		const [first, second] = [await calls(), await calls()];
		expect(rows).toMatchObject([{ state: 'pending', outcome: '', failures: 0, note }]);
		expect(second).toBeLessThan(first);
	});

	it.each([404, 410])('is lost when the service answers %d five times in a row', async (status) => {
		const { poll, polls } = watchWorld({ gone: status, here: 'unfinished' });
		expect((await polls(4)).flatMap(({ jobs }) => jobs)).toEqual([]);
		const note = 'The service does not know this job (any more).';
		expect((await poll()).jobs.flat()).toMatchObject([{ jobId: 'gone', outcome: 'lost', note }]);
	});

	it.each<[string, ...Array<404 | 500 | 'unfinished'>]>([
		['it knows it in between', 404, 404, 404, 'unfinished'],
		['it fails in between', 404, 404, 404, 500],
		['it only failed before', 500, 500, 500, 500, 404],
	])('is not lost when %s: %s, %s, %s, %s', async (_what, ...inTurn) => {
		const { answers, polls, rows } = watchWorld({ a: 404 });
		let asked = 0;
		answers.set('a', () => inTurn[asked++ % inTurn.length]!);
		await polls(12, 2 * MINUTE);
		expect(rows[0]).toMatchObject({ outcome: '', state: 'pending' });
	});

	it('is lost at once when no address can hold its id', async () => {
		const note = 'Job ID is not usable';
		const { poll } = watchWorld({ '..': new ServiceError('invalid', note) });
		expect((await poll()).jobs.flat()).toMatchObject([{ outcome: 'lost', note }]);
	});
});

describe('trouble of the service', () => {
	it.each([
		['401', refused(401)],
		['429', refused(429)],
		['Stop', new ServiceError('cancelled', 'x')],
		['a wrong certificate', new ServiceError('unreachable', 'x', { permanent: true })],
	])('%s ends the asking at once', async (_what, error) => {
		const { poll, asked, answers } = watchWorld(numbered(40, error));
		expect((await poll()).serviceError).toBe(error);
		expect(asked.length).toBeLessThanOrEqual(5);
		answers.clear();
		await poll();
		expect(new Set(asked).size).toBe(40);
	});

	it.each([404, 500, 503])('%d of all is no fault of the jobs', async (status) => {
		const { poll, polls, asked, answers, rows, setAlive } = watchWorld(numbered(40, status));
		setAlive(refused(status));
		for (const { serviceError } of await polls(7))
			expect(serviceError).toMatchObject({ details: { status } });
		if (status !== 404) expect(asked.length).toBeLessThan(7 * 10 + 1);
		expect(rows.every(({ failures, outcome }) => !failures && !outcome)).toBe(true);
		asked.length = 0;
		answers.clear();
		await poll();
		expect(new Set(asked).size).toBe(40);
	});

	it('five bad jobs in a row end one poll, and hold up nobody for longer', async () => {
		const { polls, asked } = watchWorld({ ...numbered(20, 'completed'), ...numbered(10, 500) });
		const all = await polls(3, 0);
		expect(all[0]!.serviceError).toBeUndefined();
		expect(all.flatMap(({ names }) => names)).toHaveLength(10);
		expect(asked.filter((id) => id === 'j0')).toHaveLength(1);
	});

	it('what is done is handed over all the same', async () => {
		const { add, poll, setAlive } = watchWorld({ a: 503 });
		add('done', { outcome: 'completed' });
		setAlive(refused(503));
		const { names, serviceError } = await poll();
		expect([names, serviceError]).toEqual([['done'], expect.any(ServiceError)]);
	});
});

it('three thousand jobs are all asked for in turn, and those that are done come soon', async () => {
	const { answers, asked, poll, clock } = watchWorld(numbered(3000, 'unfinished'));
	const found: string[] = [];
	for (let minute = 1; minute <= 20; minute++) {
		found.push(...(await poll({ concurrency: 8 })).names);
		expect(clock.now()).toBeLessThan(minute * MINUTE);
		await clock.sleep(minute * MINUTE - clock.now());
		if (minute === 10) answers.set('j2999', 'completed');
	}
	// nobody had a second turn before all had the first
	expect(new Set(asked.slice(0, 3000)).size).toBe(3000);
	expect(found).toEqual(['j2999']);
});

it('a poll of a thousand jobs makes few requests to n8n', async () => {
	const { asked, poll, setLatency, weather } = watchWorld(numbered(1000, 'unfinished'));
	let latencies = 0;
	weather.latency = () => (latencies++, 5);
	setLatency(1);
	await poll();
	// each takes its time there and back
	expect({ asked: asked.length, requests: latencies / 2 }).toEqual({ asked: 1000, requests: 14 });
});

describe('several rows of one job', () => {
	it('are handed over once, however many they are', async () => {
		const { add, answers, asked, poll, deliver, states } = watchWorld(numbered(50, 'unfinished'));
		for (let row = 0; row < 1000; row++) add('a');
		answers.set('a', 'completed').set('j7', 'completed');
		const { names, claim } = await poll();
		expect(names).toEqual(['a', 'j7']);
		expect(asked.filter((id) => id === 'a')).toHaveLength(1);
		expect(await deliver(claim)).toEqual(['a', 'j7']);
		expect(states().filter((state) => state === 'delivered')).toHaveLength(1001);
	});

	it('one that is entered later does not bring it again', async () => {
		const { add, poll, deliver, rows } = watchWorld({ a: 'completed' });
		await deliver((await poll()).claim);
		add('a');
		const { jobs, claim } = await poll();
		expect([jobs, await deliver(claim)]).toEqual([[], []]);
		const note = expect.stringContaining('delivered');
		expect(rows[1]).toMatchObject({ state: 'delivered', note });
	});

	it('one that nobody holds does not hold up another', async () => {
		const { add, poll } = watchWorld();
		for (const checkAt of [0, HOUR]) add('a', { outcome: 'completed', checkAt });
		expect((await poll()).names).toEqual(['a']);
	});

	it('one that is entered while it is delivered waits, and ends with it', async () => {
		const { add, poll, deliver, states, clock } = watchWorld({ a: 'completed' });
		const { claim } = await poll();
		add('a');
		expect((await poll()).jobs).toEqual([]);
		expect(states()).toEqual(['emitting', 'pending']);
		expect(await deliver(claim)).toEqual(['a']);
		await clock.sleep(MINUTE);
		expect((await poll()).jobs).toEqual([]);
		expect(states()).toEqual(['delivered', 'delivered']);
	});

	it('the same id of another account or another kind is another job', async () => {
		const { add, clock, poll } = watchWorld({ 1: 'completed' });
		add('1', { mediaType: 'images', checkAt: MINUTE });
		add('1', { credentialId: 'b' });
		for (const mediaType of ['videos', 'images']) {
			expect((await poll()).jobs).toMatchObject([[{ mediaType, credentialId: 'a' }]]);
			await clock.sleep(MINUTE);
		}
		expect((await poll({ credentialId: 'b' })).jobs).toHaveLength(1);
	});
});

describe('the lease', () => {
	const emitted = async () => {
		const world = watchWorld({ a: 'completed' });
		return { ...world, claim: (await world.poll()).claim };
	};

	it('what nobody marked is handed over again, and the first one is too late', async () => {
		const { add, poll, deliver, clock, claim, asked } = await emitted();
		// one that is held for longer, and was entered before
		Object.assign(add('b', { state: 'delivering', leaseUntil: 24 * HOUR }), { id: 0 });
		await clock.sleep(9 * MINUTE);
		expect((await poll()).jobs).toEqual([]);
		await clock.sleep(2 * MINUTE);
		const second = await poll();
		expect(second.names).toEqual(['a']);
		expect(await deliver(claim)).toEqual([]);
		expect(await deliver(second.claim)).toEqual(['a']);
		expect(asked).toHaveLength(1);
	});

	it('what n8n claimed is handed over though its answer was lost', async () => {
		const { poll, states, weather } = watchWorld({ a: 'completed' });
		let lost = 0;
		weather.loses = (when) => when === 'after' && states().includes('emitting') && !lost++;
		expect((await poll()).names).toEqual(['a']);
		expect(lost).toBeGreaterThan(0);
	});

	it('a late one that comes before the next poll delivers', async () => {
		const { poll, deliver, clock, claim } = await emitted();
		await clock.sleep(HOUR);
		expect(await deliver(claim)).toEqual(['a']);
		expect((await poll()).jobs).toEqual([]);
	});

	it('an execution that is killed during the download loses nothing', async () => {
		const { poll, deliver, clock, claim } = await emitted();
		void deliver(claim, () => new Promise(() => {}));
		await clock.sleep(11 * MINUTE);
		const second = await poll();
		expect(second.names).toEqual(['a']);
		expect(await deliver(second.claim)).toEqual(['a']);
	});

	it('a download that takes longer than the lease keeps it', async () => {
		const { rows, poll, deliver, clock, claim } = await emitted();
		const leases = new Set<number>();
		const slow = deliver(claim, async (_job, touch) => {
			for (let minute = 0; minute < 60; minute++) {
				await clock.sleep(MINUTE);
				await touch();
				leases.add(rows[0]!.leaseUntil);
				expect((await poll()).jobs).toEqual([]);
			}
		});
		expect(await slow).toEqual(['a']);
		// it is not renewed with every touch
		expect(leases.size).toBeLessThan(20);
	});

	it('one that overslept its lease gives out nothing', async () => {
		const { poll, deliver, clock, claim } = await emitted();
		let second: Awaited<ReturnType<typeof poll>> | undefined;
		const slow = await deliver(claim, async () => {
			await clock.sleep(HOUR);
			second = await poll();
		});
		expect([slow, second!.names]).toEqual([[], ['a']]);
		expect(await deliver(second!.claim)).toEqual(['a']);
	});

	it('a second run of the same execution goes on, and a run after its end gives the same', async () => {
		const { clock, deliver, claim, poll, rows } = await emitted();
		await expect(deliver(claim, () => Promise.reject(new Error('broken')))).rejects.toThrow();
		expect(rows).toMatchObject([{ state: 'delivering', failures: 1 }]);
		await clock.sleep(9 * MINUTE);
		const again = deliver(claim, async () => {
			await clock.sleep(2 * MINUTE);
			expect((await poll()).jobs).toEqual([]);
		});
		expect(await again).toEqual(['a']);
		expect(rows).toMatchObject([{ state: 'delivered', failures: 1, executionId: 'e' }]);
		expect(await deliver(claim)).toEqual(['a']);
	});

	it('a job that is given back is handed over again, and counts', async () => {
		const { deliver, poll, claim, clock, rows } = await emitted();
		expect(await deliver(claim, async () => true)).toEqual([]);
		expect(rows).toMatchObject([{ state: 'pending', claim: '', failures: 1 }]);
		expect((await poll()).jobs).toEqual([]);
		await clock.sleep(2 * MINUTE);
		expect(await deliver((await poll()).claim)).toEqual(['a']);
		expect(rows).toMatchObject([{ failures: 2 }]);
	});

	it('another row of a job that is held is due later', async () => {
		const { rows, poll, add, clock } = await emitted();
		add('a');
		const begun = clock.now();
		expect((await poll()).jobs).toEqual([]);
		expect(rows[1]).toMatchObject({ jobId: 'a', state: 'pending' });
		expect(rows[1]!.checkAt).toBeGreaterThan(begun);
	});

	it('survives a clock that ran ahead', async () => {
		const { rows, polls, add, asked } = await emitted();
		Object.assign(rows[0]!, { leaseUntil: 1e15 });
		add('b', { checkAt: 1e15 });
		const found = await polls(2, 0);
		expect(found.flatMap(({ names }) => names).concat(asked)).toContain('b');
		expect(rows[1]!.checkAt).toBeLessThan(HOUR);
		const leaseUntil = expect.closeTo(10 * MINUTE, -5);
		expect(rows[0]).toMatchObject({ state: 'emitting', leaseUntil });
	});
});
