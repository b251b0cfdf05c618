/*
 * What watches over the requests of an execution looks around once a second, and so ends up to a second after the last of them
 * (src/n8n/timedBody.ts). A worker of jest that has done all of its tests is given half of that to end, and then reported as one that
 * would not. No test needs a timer of its file once the last one is done, so they hold nobody up any more.
 */
const original = globalThis.setTimeout;
const timers: Array<WeakRef<NodeJS.Timeout>> = [];

const remembering = (...given: Parameters<typeof original>) => {
	const timer = original(...given);
	timers.push(new WeakRef(timer));
	return timer;
};

globalThis.setTimeout = Object.defineProperties(
	remembering,
	Object.getOwnPropertyDescriptors(original),
) as typeof original;

afterAll(() => {
	for (const timer of timers) timer.deref()?.unref();
});
