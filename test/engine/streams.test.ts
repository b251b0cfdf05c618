import { startService, type Fault, type Service } from '../service/service';
import { agent, assistant, chat, posts, secretsOf } from './rig/calls';
import { run, start } from './rig/run';

// answers that stop before their end: what arrived is kept, and called what it is
let service: Service;
beforeAll(async () => (service = await startService()));
beforeEach(() => service.reset());
afterAll(() => service.stop());

const question = 'one two three four five six seven eight';
const streaming = [
	['agent', () => agent({ message: question })],
	['assistant', () => assistant('askStreaming', { question })],
	['router', () => chat(question)],
] as const;

describe.each(streaming)('%s', (name, call) => {
	const execute = (settings: object = {}) =>
		run({ ...call(), secrets: secretsOf(service), settings });
	const partialOf = async (settings: object = { onError: 'continueErrorOutput' }) => {
		const { failed } = await execute(settings);
		return failed[0]?.json['details'] as {
			kind: string;
			outcome: string;
			reason: string;
			partial: { text: string };
		};
	};
	const whole = async () => (await execute()).items[0]?.json['output'] as string;

	it.each<[string, Fault, RegExp]>([
		['cut', { type: 'limit_data', bytes: 400 }, /connection broke/],
		['reset', { type: 'reset_peer', bytes: 400 }, /connection broke/],
		['silent', { type: 'timeout', bytes: 400 }, /Nothing arrived for 1 s/],
	])('an answer that is %s is partial', async (what, fault, reason) => {
		const requestSettings = what === 'silent' ? { idleTimeout: 1 } : {};
		const complete = await whole();
		service.fault({ do: fault });
		const settings = { onError: 'continueErrorOutput' };
		const { parameters, ...rest } = call();
		const { failed } = await run({
			...rest,
			parameters: { ...parameters, requestSettings },
			secrets: secretsOf(service),
			settings: settings as object,
		});
		const details = failed[0]?.json['details'] as { partial: { text: string } };
		expect(details).toMatchObject({
			kind: 'truncated',
			outcome: 'started',
			reason: expect.stringMatching(reason),
		});
		expect(complete.startsWith(details.partial.text)).toBe(true);
		expect(details.partial.text.length).toBeLessThan(complete.length);
		await service.settled();
		// where the service itself did not end the connection, the node did
		expect(service.requests.at(-1)?.abandoned).toBe(fault.type === 'timeout');
	});

	it('is not asked again by itself when it was cut', async () => {
		service.fault({ do: { type: 'limit_data', bytes: 300 } });
		const { error } = await execute({ retryOnFail: true, maxTries: 3, waitBetweenTries: 1 });
		expect(error?.message).toContain('The answer stopped before its end');
		expect(error?.description).toMatch(/What arrived before|No text had arrived/);
		expect(posts(service)).toHaveLength(1);
	});

	it('reads the same however the bytes are sliced', async () => {
		const complete = await whole();
		service.fault({ do: { type: 'slicer', bytes: 1 } });
		expect(await whole()).toBe(complete);
	});

	it.each(['lf', 'cr', 'crlf'] as const)('reads lines that end in %s', async (value) => {
		const complete = await whole();
		service.fault({ do: [{ type: 'line_ends', value }, { type: 'comments' }, { type: 'bom' }] });
		expect(await whole()).toBe(complete);
	});

	it.each<[string, Fault]>([
		['a login page', { type: 'login_page' }],
		['an empty answer', { type: 'empty' }],
	])('%s is no answer, and its outcome unknown', async (_what, fault) => {
		service.fault({ do: fault });
		expect(await partialOf()).toMatchObject({ kind: 'malformed', outcome: 'unknown' });
	});

	it('gives up a stream of nothing but signs of life', async () => {
		if (name === 'agent') service.forms.agent = 'sse-json';
		service.fault({ do: { type: 'keep_alives_only', every: 200 } });
		const { parameters, ...rest } = call();
		const { error } = await run({
			...rest,
			parameters: { ...parameters, requestSettings: { idleTimeout: 1 } },
			secrets: secretsOf(service),
		});
		expect(error?.description).toMatch(/keep-alive messages/);
	});

	it('closes the connection when the execution is stopped', async () => {
		service.forms.gate = true;
		const { finished, stop } = start({ ...call(), secrets: secretsOf(service) });
		while (!posts(service).length) await new Promise((resolve) => setTimeout(resolve, 20));
		stop();
		const { run: stopped } = await finished;
		expect(stopped.status).not.toBe('success');
		await service.settled();
		expect(posts(service)).toMatchObject([{ abandoned: true }]);
	});
});

describe('end marks', () => {
	it.each([
		['assistant', () => assistant('askStreaming', { question }), /without its "finish" event/],
		['router', () => chat(question), /\[DONE\]/],
	] as const)('%s: without one, the answer is partial', async (_name, call, reason) => {
		service.fault({ do: { type: 'no_end_marker' } });
		const { error } = await run({ ...call(), secrets: secretsOf(service) });
		expect(error).toMatchObject({
			message: expect.stringMatching(/^The answer stopped before its end/),
			description: expect.stringMatching(reason),
		});
	});

	it.each([true, false])('router: an error in mid-stream (then [DONE]: %s)', async (done) => {
		service.fault({ do: { type: 'stream_error', after: 4, done } });
		const { failed } = await run({
			...chat(question),
			secrets: secretsOf(service),
			settings: { onError: 'continueErrorOutput' },
		});
		expect(failed[0]?.json).toMatchObject({
			error: expect.stringContaining('The answer stopped before its end'),
			details: {
				kind: 'truncated',
				outcome: 'started',
				requestId: expect.any(String),
				partial: { text: expect.stringMatching(/./) },
			},
		});
	});

	it('what comes after the end is ignored', async () => {
		service.fault({
			do: { type: 'after_end', text: 'data: {"choices":[{"delta":{"content":"X"}}]}\n\n' },
		});
		const { items } = await run({ ...chat('hello'), secrets: secretsOf(service) });
		expect(items[0]?.json['output']).not.toContain('X');
	});

	it('assistant: a tool that finishes without having begun, and an unknown event', async () => {
		service.fault({
			do: [
				{ type: 'drop', includes: 'pending_tool_call' },
				{ type: 'insert', after: 1, text: 'event: surprise\ndata: {"x":1}\n\n' },
			],
		});
		const { items, error } = await run({
			...assistant('askStreaming', { question, options: { includeRawEvents: true } }),
			secrets: secretsOf(service),
		});
		expect(error).toBeUndefined();
		expect(items[0]?.json['toolCalls']).toContainEqual({
			callId: expect.any(String),
			finished: true,
			finishedMs: expect.any(Number),
		});
		expect(items[0]?.json['events']).toContainEqual({ event: 'surprise', data: { x: 1 } });
	});
});
