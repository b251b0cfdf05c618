import { missed, reportOf } from '../soak/book';
import { naive } from '../soak/scenarios';
import { soak } from '../soak/soak';

// a small one of what `npm run soak` does at length
const small = { seed: 3, batch: 15, lanes: 4 };

it('ninety jobs, from start to file: nothing is paid for twice, and nothing is lost', async () => {
	const soaked = await soak({ jobs: 90, ...small });
	expect(missed(soaked)).toEqual([]);
	const { tables, facts, unknown } = soaked;
	for (const files of tables['files by']?.values() ?? []) expect(files).toBeGreaterThan(0);
	expect(tables['files by']?.size).toBe(5);
	// much went wrong
	const strikes = [...(tables['requests']?.keys() ?? [])].filter(
		(name) => !name.endsWith(': none'),
	);
	expect(strikes.length).toBeGreaterThan(15);
	expect(unknown.called).toBeGreaterThan(unknown.started);
	expect(unknown.started).toBeGreaterThan(0);
	for (const fact of Object.values(facts)) expect(fact).toBeGreaterThan(0);
	expect(facts['files']).toBeGreaterThan(20);
});

it('a client that sends again what failed, and forgets what was cut, is found out', async () => {
	const soaked = await soak({ jobs: 60, ...small, through: { naive } });
	expect(missed(soaked)).toEqual(
		expect.arrayContaining([
			'started twice',
			'sent again, though it may have arrived',
			'lost: booked, no ID anywhere, not called unknown',
			'items of which nothing was said',
		]),
	);
	expect(reportOf(soaked)).toMatch(/MISSED[^]*started twice: soak-\d+/);
});
