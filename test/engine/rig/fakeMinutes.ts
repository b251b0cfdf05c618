import { setImmediate as turn } from 'node:timers/promises';

import type { Service } from '../../service/service';

/** For the tests of a file: timers that only `letMinutesPass` moves. The clocks of services that use `Date.now()` move with them. */
export function fakeMinutes() {
	beforeEach(() => {
		const doNotFake = [
			'nextTick',
			'setImmediate',
			'queueMicrotask',
			'hrtime',
			'performance',
		] as const;
		jest.useFakeTimers({ doNotFake: [...doNotFake] });
	});
	afterEach(() => jest.useRealTimers());
}

/**
 * Lets time pass whenever nothing is on its way to these services.
 *
 * @param milliseconds That pass at once.
 */
export async function letMinutesPass<Result>(
	work: Promise<Result>,
	services: ReadonlyArray<Pick<Service, 'settled'>>,
	milliseconds: number,
): Promise<Result> {
	let done = false;
	const result = work.finally(() => (done = true));
	while (!done) {
		for (let count = 0; count < 10; count++) await turn();
		for (const service of services) await service.settled();
		jest.advanceTimersByTime(milliseconds);
	}
	return await result;
}
