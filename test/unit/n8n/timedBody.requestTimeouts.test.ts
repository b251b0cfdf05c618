import { createRequestTimeouts } from '../../../src/n8n/timedBody';

beforeEach(() => void jest.useFakeTimers());
afterEach(() => void jest.useRealTimers());

const limits = { idleTimeout: 5000, totalTimeout: 60_000, stop: undefined };

it('a request that nobody waits for is not silent, and is overdue all the same', async () => {
	const requests = createRequestTimeouts(limits);
	const request = requests.begin();
	await jest.advanceTimersByTimeAsync(59_999);
	expect(request.end).toBeUndefined();
	await jest.advanceTimersByTimeAsync(1);
	expect([request.end, request.connection.signal.aborted]).toEqual(['overdue', true]);
});

it('each request has its own silence, to the millisecond', async () => {
	const requests = createRequestTimeouts(limits);
	const [first, second] = [requests.begin(), requests.begin()];
	first.waitingSince = Date.now();
	await jest.advanceTimersByTimeAsync(1234);
	second.waitingSince = Date.now();
	await jest.advanceTimersByTimeAsync(3765);
	expect([first.end, second.end]).toEqual([undefined, undefined]);
	await jest.advanceTimersByTimeAsync(1);
	expect([first.end, second.end]).toEqual(['silent', undefined]);
	await jest.advanceTimersByTimeAsync(1233);
	expect(second.end).toBeUndefined();
	await jest.advanceTimersByTimeAsync(1);
	expect(second.end).toBe('silent');
});

it('a silence shorter than its usual round is noticed in time', async () => {
	const requests = createRequestTimeouts({ ...limits, idleTimeout: 10 });
	requests.begin();
	await jest.advanceTimersByTimeAsync(3);
	const second = requests.begin();
	second.waitingSince = Date.now();
	await jest.advanceTimersByTimeAsync(9);
	expect(second.end).toBeUndefined();
	await jest.advanceTimersByTimeAsync(1);
	expect(second.end).toBe('silent');
});

it('has one timer and one listener for all, and none a moment after the last', async () => {
	const stop = new AbortController();
	const [add, remove] = [
		jest.spyOn(stop.signal, 'addEventListener'),
		jest.spyOn(stop.signal, 'removeEventListener'),
	];
	const requests = createRequestTimeouts({ ...limits, stop: stop.signal });
	const all = Array.from({ length: 50 }, () => requests.begin());
	expect([jest.getTimerCount(), add.mock.calls.length]).toEqual([1, 1]);
	for (const request of all) requests.end(request, 'done');
	await jest.advanceTimersByTimeAsync(1000);
	expect([jest.getTimerCount(), remove.mock.calls.length]).toEqual([0, 1]);
	expect(remove.mock.calls[0]?.[1]).toBe(add.mock.calls[0]?.[1]);

	const request = requests.begin();
	expect([jest.getTimerCount(), add.mock.calls.length]).toEqual([1, 2]);
	stop.abort();
	expect(request.end).toBe('stopped');
});

it('Stop ends all that is under way, and what begins later at once', () => {
	const stop = new AbortController();
	const requests = createRequestTimeouts({ ...limits, stop: stop.signal });
	const [done, ...open] = [requests.begin(), requests.begin(), requests.begin()];
	requests.end(done, 'done');
	stop.abort();
	const later = requests.begin();
	expect([...open, later].map(({ end }) => end)).toEqual(['stopped', 'stopped', 'stopped']);
	expect([done, later].map(({ connection }) => connection.signal.aborted)).toEqual([false, true]);
	expect(requests.isCancelled()).toBe(true);
});

it('what has ended keeps the reason that it ended for', () => {
	const requests = createRequestTimeouts(limits);
	const request = requests.begin();
	requests.end(request, 'done');
	requests.end(request, 'left');
	expect([request.end, request.connection.signal.aborted]).toEqual(['done', false]);
});

it('gives at least 50 ms and at most 100 ms to whoever leaves, with one timer for all', async () => {
	const requests = createRequestTimeouts(limits);
	const ended: number[] = [];
	const started = Date.now();
	const leave = async () => {
		const left = Date.now();
		await requests.waitGracePeriod();
		ended.push(Date.now() - left);
	};
	const first = leave();
	await jest.advanceTimersByTimeAsync(49);
	const second = leave();
	expect(jest.getTimerCount()).toBe(1);
	await jest.advanceTimersByTimeAsync(100);
	await Promise.all([first, second]);
	expect(ended).toEqual([100, 51]);
	expect(Date.now() - started).toBe(149);
	expect(jest.getTimerCount()).toBe(0);
});

it('a request without a response head in time is ended, and one that has it is not', async () => {
	const requests = createRequestTimeouts(limits);
	const [late, inTime] = [requests.begin(Date.now() + 2000), requests.begin(Date.now() + 2000)];
	await jest.advanceTimersByTimeAsync(1999);
	expect([late.end, inTime.end]).toEqual([undefined, undefined]);
	inTime.headBy = Infinity;
	await jest.advanceTimersByTimeAsync(1);
	expect([late.end, inTime.end]).toEqual(['overdue', undefined]);
	requests.end(inTime, 'done');
	await jest.advanceTimersByTimeAsync(1000);
});
