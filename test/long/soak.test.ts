import { goalsOf } from '../soak/goals';
import { naive } from '../soak/naive';
import { soak, type Soaked } from '../soak/soak';
import { tableOf } from '../soak/table';

// a small one of what `npm run soak` does at length
const small = { seed: 3, batch: 15, lanes: 4 };
const missed = (soaked: Soaked) =>
	goalsOf(soaked)
		.filter(({ met }) => !met)
		.map(({ what }) => what);

it('ninety jobs, from start to file: nothing is paid for twice, and nothing is lost', async () => {
	const soaked = await soak({ jobs: 90, ...small });
	expect(missed(soaked)).toEqual([]);
	for (const { jobs, files } of soaked.byScenario)
		expect([jobs > 0, files > 0]).toEqual([true, true]);
	// it was no easy ride
	const { struck, files, unknown, failed, recovered } = soaked;
	const strikes = [...struck].filter(([name]) => !name.endsWith(': none'));
	expect(strikes.length).toBeGreaterThan(15);
	expect(unknown.called).toBeGreaterThan(unknown.started);
	expect(unknown.started).toBeGreaterThan(0);
	expect(recovered).toBeGreaterThan(0);
	expect(failed).toBeGreaterThan(0);
	expect(files).toBeGreaterThan(20);
	expect(tableOf(soaked)).not.toContain('MISSED');
});

it('whoever sends again what failed, and forgets what was cut, is found out', async () => {
	const soaked = await soak({ jobs: 60, ...small, through: [naive] });
	expect(missed(soaked)).toEqual(
		expect.arrayContaining([
			'started twice',
			'sent again, though it may have arrived',
			'lost: booked, no id told, not called unknown',
			'items of which nothing was said',
		]),
	);
	expect(tableOf(soaked)).toMatch(/MISSED[^]*started twice: soak-\d+/);
});
