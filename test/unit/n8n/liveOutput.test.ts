import fc from '../../support/fastCheck';
import type { IExecuteFunctions } from 'n8n-workflow';

import { isLive, createLiveOutput, NO_LIVE_OUTPUT } from '../../../src/n8n/liveOutput';
import { createRedactor } from '../../../src/n8n/redact';

const WINDOW = 20;

beforeEach(() => void jest.useFakeTimers());
afterEach(() => void jest.useRealTimers());

const pause = async (milliseconds: number) =>
	await new Promise<void>((resolve) => setTimeout(resolve, milliseconds));
const pass = async (milliseconds: number) => await jest.advanceTimersByTimeAsync(milliseconds);

interface Sent {
	type: string;
	content?: string | undefined;
	/** When it was begun to be sent, and when it was over. */
	at: number;
	until?: number;
}

/** Somebody who reads along; each piece takes them as long as they are told, and no two may come at once. */
function reader({
	takes = () => 0,
	fails = () => false,
}: { takes?: () => number; fails?: () => boolean } = {}) {
	const sent: Sent[] = [];
	const failures: unknown[] = [];
	const start = Date.now();
	const n8n = {
		async sendChunk(type: string, itemIndex: number, content?: string) {
			const piece: Sent = {
				type,
				at: Date.now() - start,
				...(content !== undefined && { content }),
			};
			sent.push(piece);
			expect([itemIndex, sent.filter(({ until }) => until === undefined)]).toEqual([7, [piece]]);
			const delay = takes();
			if (delay) await pause(delay);
			piece.until = Date.now() - start;
			if (fails()) throw new Error('the reader has left');
		},
		logger: { debug: (_message: string, cause: unknown) => failures.push(cause) },
	} as unknown as IExecuteFunctions;
	const contents = () => sent.filter(({ type }) => type === 'item').map(({ content }) => content);
	const types = () => sent.map(({ type }) => type);
	return { n8n, ...createLiveOutput(n8n, 7), sent, failures, contents, types };
}

/** Whether something is over by now. */
function over(promise: Promise<void>) {
	const state = { over: false };
	void promise.then(() => (state.over = true));
	return state;
}

it('the first piece goes out at once, also after an empty one', async () => {
	const { write, sent } = reader();
	await write('');
	const written = over(write('a'));
	await pass(0);
	expect([written.over, sent]).toEqual([
		true,
		[
			{ type: 'begin', at: 0, until: 0 },
			{ type: 'item', content: 'a', at: 0, until: 0 },
		],
	]);
});

it('pieces within a window travel as one, those of the next in the next', async () => {
	const { write, contents, sent } = reader();
	await write('a');
	for (const text of ['b', 'c', 'd']) {
		await write(text);
		await pass(6);
	}
	expect(contents()).toEqual(['a']);
	await pass(2);
	expect(contents()).toEqual(['a', 'bcd']);
	await write('e');
	await pass(WINDOW - 1);
	expect(contents()).toEqual(['a', 'bcd']);
	await pass(1);
	expect(sent.map(({ at }) => at)).toEqual([0, 0, WINDOW, 2 * WINDOW]);
});

it('a piece after a silence goes out at once', async () => {
	const { write, sent } = reader();
	await write('a');
	await pass(WINDOW);
	await write('b');
	await pass(0);
	expect(sent.map(({ at, content }) => [at, content])).toEqual([
		[0, undefined],
		[0, 'a'],
		[WINDOW, 'b'],
	]);
});

it('who writes waits for a reader who is slow', async () => {
	const { write, contents } = reader({ takes: () => 50 });
	const [one, other] = [over(write('a')), over(write('b'))];
	await pass(99);
	expect([one.over, other.over, contents()]).toEqual([false, false, ['a']]);
	await pass(1);
	expect([one.over, other.over, contents()]).toEqual([true, true, ['a']]);
	await pass(WINDOW);
	expect(contents()).toEqual(['a', 'b']);
	await pass(50);
});

it('the end sends what is left at once, and says so once', async () => {
	const { write, end, sent } = reader();
	await write('a');
	await write('b');
	await end();
	expect(sent.map(({ type, content, at }) => [type, content, at])).toEqual([
		['begin', undefined, 0],
		['item', 'a', 0],
		['item', 'b', 0],
		['end', undefined, 0],
	]);
	await end();
	await pass(10 * WINDOW);
	expect(sent).toHaveLength(4);
	expect(jest.getTimerCount()).toBe(0);
});

it('two ends at the same time are one', async () => {
	const { write, end, types } = reader({ takes: () => 5 });
	const all = Promise.all([write('a'), end(), end()]);
	await pass(100);
	await all;
	expect(types()).toEqual(['begin', 'item', 'end']);
});

it.each<[string, string[]]>([
	['nothing', []],
	['empty pieces', ['', '']],
])('%s is neither begun nor ended', async (_name, texts) => {
	const { write, end, sent } = reader();
	for (const text of texts) await write(text);
	await end();
	await pass(WINDOW);
	expect(sent).toEqual([]);
});

it('a reader who left costs the answer nothing', async () => {
	const { write, end, types, failures } = reader({ fails: () => true });
	await write('a');
	await write('b');
	await end();
	expect(types()).toEqual(['begin', 'item', 'item', 'end']);
	expect(failures).toEqual(Array(4).fill({ cause: new Error('the reader has left') }));
});

it('a way to send that fails at once costs nothing either', async () => {
	const sendChunk = jest.fn(() => {
		throw new TypeError('mine');
	});
	const n8n = { sendChunk, logger: { debug: () => {} } } as unknown as IExecuteFunctions;
	const { write, end } = createLiveOutput(n8n, 0);
	await write('a');
	await end();
	expect(sendChunk).toHaveBeenCalledTimes(3);
});

const delay = fc.oneof(fc.constant(0), fc.nat(3 * WINDOW));
const someWrites = fc.array(
	fc.record({ text: fc.string({ maxLength: 3 }), wait: delay, awaited: fc.boolean() }),
	{ maxLength: 20 },
);

it('nothing is lost, doubled or reordered, whoever is slow', async () => {
	await fc.assert(
		fc.asyncProperty(
			someWrites,
			fc.infiniteStream(delay),
			fc.infiniteStream(fc.boolean()),
			async (writes, takes, fails) => {
				const { write, end, sent, contents, types } = reader({
					takes: () => Number(takes.next().value),
					fails: () => Boolean(fails.next().value),
				});
				const work = async () => {
					const open: Array<Promise<void>> = [];
					for (const { text, wait, awaited } of writes) {
						const written = write(text);
						open.push(written);
						if (awaited) await written;
						if (wait) await pause(wait);
					}
					await end();
					await Promise.all(open);
				};
				const working = work();
				await jest.runAllTimersAsync();
				await working;
				const whole = writes.map(({ text }) => text).join('');
				expect(contents().join('')).toBe(whole);
				expect(contents()).not.toContain('');
				const items = contents().map(() => 'item');
				expect(types()).toEqual(whole ? ['begin', ...items, 'end'] : []);
				// but for what the end sends, a window lies between two pieces
				const pieces = sent.filter(({ type }) => type === 'item').slice(0, -1);
				for (const [index, piece] of pieces.entries())
					expect(piece.at - (pieces[index - 1]?.until ?? -WINDOW)).toBeGreaterThanOrEqual(WINDOW);
				expect(jest.getTimerCount()).toBe(0);
			},
		),
	);
});

it.each<[boolean, string, boolean]>([
	[true, 'test.modelRouter', true],
	[false, 'test.modelRouter', false],
	[true, 'test.modelRouterTool', false],
	[true, 'test.modelRouterHitlTool', false],
	[false, 'test.modelRouterTool', false],
])('streaming %s, the type %s: live %s', (streaming, type, live) => {
	const n8n = { isStreaming: () => streaming, getNode: () => ({ type }) };
	expect(isLive(n8n as unknown as IExecuteFunctions)).toBe(live);
});

it('what may be the beginning of a key is held back, and sent at the end', async () => {
	const { n8n, contents, types } = reader();
	const stream = createRedactor('key-4f0c9d21').stream();
	const { write, end } = createLiveOutput(n8n, 7, { stream });
	for (const piece of ['my ', 'key', '-4f0c', '9d21', ' is key', '-4f0']) {
		await write(piece);
		await pass(WINDOW);
	}
	expect(contents()).toEqual(['my ', '***', ' is ']);
	await end();
	expect([contents().at(-1), types().at(-1)]).toEqual(['key-4f0', 'end']);
});

it('what nobody reads along goes nowhere', async () => {
	expect([await NO_LIVE_OUTPUT.write('a'), await NO_LIVE_OUTPUT.end()]).toEqual([
		undefined,
		undefined,
	]);
});

it.each([
	['for too long', async () => await pass(30_000)],
	['until Stop', async (stop: AbortController) => stop.abort()],
])('a reader who takes nothing %s holds nobody up any more', async (_how, wait) => {
	const stop = new AbortController();
	const sendChunk = jest.fn(async () => await new Promise<void>(() => {}));
	const { write, end } = createLiveOutput({ sendChunk } as unknown as IExecuteFunctions, 7, {
		stop: stop.signal,
	});
	const written = over(write('a'));
	await pass(29_999);
	expect(written.over).toBe(false);
	await wait(stop);
	await pass(0);
	expect(written.over).toBe(true);
	const ended = over(end());
	await pass(WINDOW);
	expect([ended.over, sendChunk.mock.calls.length]).toEqual([true, 1]);
});
