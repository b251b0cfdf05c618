import { countInFlight, sendReserved } from '../../../src/n8n/startPaid';

const trackInFlight = async <Result>(account: string, send: () => Promise<Result>) =>
	await sendReserved({ account, reservation: undefined, costOf: undefined }, send);
import fc from '../../support/fastCheck';

it('a request counts while it takes, and gives what it gives', async () => {
	let seen = 0;
	expect(countInFlight('a')).toBe(0);
	const given = trackInFlight('a', async () => {
		seen = countInFlight('a');
		return 'answer';
	});
	expect([seen, countInFlight('b')]).toEqual([1, 0]);
	expect(await given).toBe('answer');
	expect(countInFlight('a')).toBe(0);
});

it.each<[string, () => Promise<never>]>([
	['fails', () => Promise.reject(new TypeError('mine'))],
	[
		'fails at once',
		() => {
			throw new TypeError('mine');
		},
	],
])('one that %s does not count afterwards', async (_name, send) => {
	await expect(trackInFlight('c', send)).rejects.toThrow(new TypeError('mine'));
	expect(countInFlight('c')).toBe(0);
});

it('counts each account by itself, in any order of beginnings and ends', async () => {
	const step = fc.record({
		account: fc.constantFrom('x', 'y'),
		ends: fc.nat(),
		fails: fc.boolean(),
	});
	await fc.assert(
		fc.asyncProperty(fc.array(step, { maxLength: 20 }), async (steps) => {
			const open: Array<{
				account: string;
				end: (fails: boolean) => void;
				done: Promise<unknown>;
			}> = [];
			const counts = () =>
				['x', 'y'].map((name) => open.filter(({ account }) => account === name).length);
			const end = async (index: number, fails: boolean) => {
				const [one] = open.splice(index, 1);
				one?.end(fails);
				await one?.done;
			};
			for (const { account, ends, fails } of steps) {
				const { promise, resolve, reject } = Promise.withResolvers<void>();
				const done = trackInFlight(account, async () => await promise).catch(() => undefined);
				open.push({ account, done, end: (fail) => (fail ? reject(new Error('x')) : resolve()) });
				expect(['x', 'y'].map(countInFlight)).toEqual(counts());
				if (ends % 2) await end(ends % open.length, fails);
				expect(['x', 'y'].map(countInFlight)).toEqual(counts());
			}
			while (open.length) await end(0, false);
			expect(['x', 'y'].map(countInFlight)).toEqual([0, 0]);
		}),
	);
});
