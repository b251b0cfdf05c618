import { garbageWatch } from '../../../src/n8n/garbage';

/** Numbers of the requests at which memory was asked for, and how much. */
function askedFor(items: number) {
	const asked = jest.spyOn(globalThis, 'ArrayBuffer');
	const [count, other] = [garbageWatch(items), garbageWatch(0)];
	const at: number[] = [];
	for (let request = 1; request <= 10_000; request++) {
		const before = asked.mock.calls.length;
		count();
		if (asked.mock.calls.length > before) at.push(request);
		// another execution does not count
		if (request === 1) other();
	}
	const sizes = asked.mock.calls.flat();
	asked.mockRestore();
	return { at, sizes: [...new Set(sizes)] };
}

it.each([
	['an execution with few items', 0, [3000, 6000, 9000]],
	['1000 items, each sent once', 1000, [2750, 5750, 8750]],
	['10,000 items, whose parameters have left something, too', 10_000, [500, 3500, 6500, 9500]],
	['100,000 items', 100_000, [1, 3001, 6001, 9001]],
])('asks for memory now and then: %s', (_what, items, at) => {
	expect(askedFor(items)).toEqual({ at, sizes: [80 * 1024 * 1024] });
});

it('goes on where there is none', () => {
	const asked = jest.spyOn(globalThis, 'ArrayBuffer').mockImplementation(() => {
		throw new RangeError('Array buffer allocation failed');
	});
	const count = garbageWatch(100_000);
	let failure: unknown;
	try {
		count();
	} catch (cause) {
		failure = cause;
	}
	const times = asked.mock.calls.length;
	asked.mockRestore();
	expect([failure, times]).toEqual([undefined, 1]);
});
