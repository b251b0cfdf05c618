import { ServiceError } from '../../../src/core/errors';
import { inBatches, repeatWrite } from '../../../src/tables/rowWrites';
import { virtualClock } from '../virtualClock';

describe('tasks in batches', () => {
	function recorded(failing?: string) {
		const batches: string[][] = [];
		const work = async (tasks: readonly string[]) => {
			batches.push([...tasks]);
			await new Promise((resolve) => setImmediate(resolve));
			if (failing !== undefined && tasks.includes(failing)) throw new Error(failing);
			return tasks.map((task) => task.toUpperCase());
		};
		return { batches, add: inBatches(work) };
	}

	it('what comes while one is under way is done together after it', async () => {
		const { batches, add } = recorded();
		const first = add('a');
		await Promise.resolve();
		const others = Promise.all([add('b'), add('c')]);
		expect([await first, ...(await others)]).toEqual(['A', 'B', 'C']);
		expect(await add('d')).toBe('D');
		expect(batches).toEqual([['a'], ['b', 'c'], ['d']]);
	});

	it('a failure is one of its batch, and the next one goes on', async () => {
		const { add } = recorded('a');
		const first = add('a');
		await Promise.resolve();
		const second = add('b');
		await expect(first).rejects.toThrow('a');
		expect(await second).toBe('B');
	});
});

describe('a write that is repeated', () => {
	const lost = new ServiceError('unreachable', 'lost', { sent: true });
	const tooMany = 'Too many at once';

	function writing(...answers: Array<string | false | undefined | ServiceError>) {
		const clock = virtualClock();
		const attempt = async () => {
			const answer = answers.length > 1 ? answers.shift() : answers[0];
			if (answer instanceof ServiceError) throw answer;
			return await Promise.resolve(answer);
		};
		const write = async (limits: Parameters<typeof repeatWrite>[1]) =>
			await repeatWrite(clock, limits, tooMany, attempt);
		return { write, pauses: clock.slept };
	}

	it('until nobody else is faster, and longer after a failure of n8n', async () => {
		const { write, pauses } = writing(undefined, false, lost, 'done');
		expect(await write({ maxTime: 5000 })).toBe('done');
		expect(pauses).toEqual([100, 200, 900]);
	});

	it.each([
		['others are faster', undefined, { message: tooMany }],
		['n8n fails', lost, { message: 'lost' }],
	])('for a limited time: %s', async (_what, answer, error) => {
		const { write, pauses } = writing(answer);
		await expect(write({ maxTime: 1000 })).rejects.toMatchObject(error);
		expect(pauses.reduce((sum, pause) => sum + pause)).toBeLessThan(1700);
	});

	it('so many times at least, and not at all after another failure', async () => {
		const { write, pauses } = writing(undefined);
		await expect(write({ maxTime: 0, minAttempts: 3 })).rejects.toMatchObject({ message: tooMany });
		expect(pauses).toHaveLength(2);
		const losing = writing(undefined);
		await expect(losing.write({ maxTime: 0, minLosses: 20 })).rejects.toThrow(tooMany);
		expect(losing.pauses).toHaveLength(19);
		const failing = writing(lost);
		await expect(failing.write({ maxTime: 0, minLosses: 20 })).rejects.toThrow('lost');
		expect(failing.pauses).toEqual([]);
		const refused = writing(new ServiceError('refused', 'no', { status: 403 }));
		await expect(refused.write({ maxTime: 1000 })).rejects.toMatchObject({ message: 'no' });
		expect(refused.pauses).toEqual([]);
	});
});
