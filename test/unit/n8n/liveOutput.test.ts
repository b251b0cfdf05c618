import fc from '../../support/fastCheck';
import type { IExecuteFunctions } from 'n8n-workflow';

import { isLive } from '../../../src/n8n/caller';
import { createLiveOutput, NO_LIVE_OUTPUT } from '../../../src/n8n/liveOutput';
import { createRedactor } from '../../../src/n8n/redact';

const WINDOW = 20;
/** A piece that comes so long after the one before goes out at once. */
const PROMPT = 10;

beforeEach(() => void jest.useFakeTimers());
afterEach(() => void jest.useRealTimers());

const pause = async (milliseconds: number) =>
	await new Promise<void>((resolve) => setTimeout(resolve, milliseconds));
const pass = async (milliseconds: number) => await jest.advanceTimersByTimeAsync(milliseconds);

const of = (n8n: object) => n8n as unknown as IExecuteFunctions;

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
	const n8n = of({
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
	});
	const contents = () => sent.filter(({ type }) => type === 'item').map(({ content }) => content);
	const types = () => sent.map(({ type }) => type);
	return { n8n, ...createLiveOutput(n8n, 7), sent, failures, contents, types };
}

/** Whether something is over by now. */
function over(promise: Promise<void> | undefined) {
	const state = { over: false };
	void Promise.resolve(promise).then(() => (state.over = true));
	return state;
}

/** `text@time` for each piece, in milliseconds. */
it.each([
	['the first piece goes out at once', 0, 'a@0', 'a@0'],
	['pieces of a window travel as one', 0, 'a@0 b@0 c@4 d@8 e@12 f@16 g@20', 'a@0 bcdef@20 g@40'],
	['a piece every 10 ms goes out as it comes', 0, 'a@0 b@10 c@20', 'a@0 b@10 c@20'],
	['a piece every 20 ms does, too', 0, 'a@0 b@20 c@40', 'a@0 b@20 c@40'],
	['a piece every second does, too', 0, 'a@0 b@1000 c@2000', 'a@0 b@1000 c@2000'],
	['one after a pause takes along what was gathered', 0, 'a@0 b@0 c@10 d@10', 'a@0 bc@10 d@20'],
	['the end sends what is left at once', 0, 'a@0 b@0 end@0 end@0', 'a@0 b@0'],
	// "begin" takes as long as a piece
	['before a slow reader all is one chunk', 100, 'a@0 b@15 c@30 d@45 e@135', 'a@100 bcde@200'],
])('%s', async (_what, takes, written, expected) => {
	const { write, end, sent, types } = reader({ takes: () => takes });
	let now = 0;
	for (const piece of written.split(' ')) {
		const [text = '', at] = piece.split('@');
		await pass(Number(at) - now);
		now = Number(at);
		void (text === 'end' ? end() : write(text));
	}
	await pass(1000);
	const items = sent.filter(({ type }) => type === 'item');
	expect(items.map(({ content, at }) => `${content}@${at}`).join(' ')).toBe(expected);
	const ends = written.includes('end') ? ['end'] : [];
	expect(types()).toEqual(['begin', ...items.map(() => 'item'), ...ends]);
	expect(jest.getTimerCount()).toBe(0);
});

it('a clock that is set back delays a piece by one window', async () => {
	const { write, contents } = reader();
	await write('a');
	await pass(1000);
	jest.setSystemTime(Date.now() - 3_600_000);
	await write('b');
	await pass(WINDOW);
	await write('c');
	expect(contents()).toEqual(['a', 'b', 'c']);
});

it('who writes waits for a reader who is slow', async () => {
	const { write, contents } = reader({ takes: () => 50 });
	const [one, other] = [over(write('a')), over(write('b'))];
	await pass(99);
	expect([one.over, other.over, contents()]).toEqual([false, false, ['a']]);
	await pass(1);
	expect([one.over, other.over, contents()]).toEqual([true, true, ['a', 'b']]);
	await pass(50);
});

it('who writes does not wait for what is only gathered', async () => {
	const { write, contents } = reader();
	await write('a');
	expect([write('b'), write(''), write('c')]).toEqual([undefined, undefined, undefined]);
	await pass(WINDOW);
	expect(contents()).toEqual(['a', 'bc']);
});

it('two ends at the same time are one', async () => {
	const { write, end, types } = reader({ takes: () => 5 });
	const all = Promise.all([write('a'), end(), end()]);
	await pass(100);
	await all;
	expect(types()).toEqual(['begin', 'item', 'end']);
});

it('a reader who left costs the answer nothing, also if sending fails at once', async () => {
	const { write, end, types, failures } = reader({ fails: () => true });
	await write('a');
	await write('b');
	await end();
	expect(types()).toEqual(['begin', 'item', 'item', 'end']);
	expect(failures).toEqual(Array(4).fill({ cause: new Error('the reader has left') }));
	const sendChunk = jest.fn(() => {
		throw new TypeError('mine');
	});
	const atOnce = createLiveOutput(of({ sendChunk, logger: { debug: () => {} } }), 0);
	await atOnce.write('a');
	await atOnce.end();
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
					const open: Array<Promise<void> | undefined> = [];
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
				// but for what the first piece and the end send, at most one chunk lies between two that follow the same rule
				const chunks = sent.filter(({ type }) => type === 'item').slice(1, -1);
				for (const [index, { at }] of chunks.entries())
					expect(at - (chunks[index - 2]?.at ?? -PROMPT)).toBeGreaterThanOrEqual(PROMPT / 2);
				expect(jest.getTimerCount()).toBe(0);
			},
		),
	);
});

it('all is out once a piece has come after a pause, whatever came before', async () => {
	await fc.assert(
		fc.asyncProperty(someWrites, async (writes) => {
			const { write, end, contents } = reader();
			let written = '';
			let paused = PROMPT;
			for (const { text, wait, awaited } of writes) {
				const done = write(text);
				if (awaited) await done;
				written += text;
				await pass(0);
				if (text && paused >= PROMPT) expect(contents().join('')).toBe(written);
				paused = text ? wait : paused + wait;
				await pass(wait);
			}
			await end();
			await pass(WINDOW);
			expect(contents().join('')).toBe(written);
		}),
	);
});

it.each([
	[true, 'test.modelRouter', true],
	[false, 'test.modelRouter', false],
	[true, 'test.modelRouterTool', false],
	[true, 'test.modelRouterHitlTool', false],
	[false, 'test.modelRouterTool', false],
])('streaming %s, the type %s: live %s', (streaming, type, live) => {
	const getExecuteData = () => undefined;
	const n8n = of({ isStreaming: () => streaming, getNode: () => ({ type }), getExecuteData });
	expect(isLive(n8n)).toBe(live);
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
	const { write, end } = NO_LIVE_OUTPUT;
	expect([await write('a'), await end()]).toEqual([undefined, undefined]);
});

it.each([
	['for too long', async () => await pass(30_000)],
	['until Stop', async (stop: AbortController) => stop.abort()],
])('a reader who takes nothing %s holds nobody up any more', async (_how, wait) => {
	const stop = new AbortController();
	const sendChunk = jest.fn(async () => await new Promise<void>(() => {}));
	const { write, end } = createLiveOutput(of({ sendChunk }), 7, { stop: stop.signal });
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
