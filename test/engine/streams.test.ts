import type { Fault } from '../service/service';
import { agent, assistant, CARRY_ON, chat, posts, RETRIED, secretsOf } from './rig/calls';
import { run, start, type RunOptions } from './rig/run';
import { serviceForTests } from './rig/service';

// answers that stop before their end, over a real connection: what arrived is kept, and called what it is
const service = serviceForTests();

const question = 'one two three four five six seven eight';
const streaming = [
	['agent', agent({ message: question })],
	['assistant', assistant('askStreaming', { question })],
	['router', chat(question)],
] as const;
const quick = { requestSettings: { idleTimeout: 1 } };

describe.each(streaming)('%s', (_name, call) => {
	const execute = (settings: RunOptions['settings'] = {}, parameters = {}) =>
		run({
			...call,
			parameters: { ...call.parameters, ...parameters },
			secrets: secretsOf(service),
			settings,
		});

	it.each<[string, Fault, RegExp]>([
		['cut', { type: 'limit_data', bytes: 400 }, /connection broke/],
		['reset', { type: 'reset_peer', bytes: 400 }, /connection broke/],
		['silent', { type: 'timeout', bytes: 400 }, /Nothing arrived for 1 s/],
	])('an answer that is %s is partial', async (_what, fault, reason) => {
		const complete = (await execute()).items[0]?.json['output'] as string;
		service.fault({ do: fault });
		const { failed } = await execute(CARRY_ON, quick);
		const details = failed[0]?.json['details'] as { partial: { text: string } };
		expect(details).toMatchObject({
			...{ kind: 'truncated', outcome: 'started', reason: expect.stringMatching(reason) },
		});
		expect(complete.startsWith(details.partial.text)).toBe(true);
		expect(details.partial.text.length).toBeLessThan(complete.length);
		await service.settled();
		// where the service itself did not end the connection, the node did
		expect(service.requests.at(-1)?.abandoned).toBe(fault.type === 'timeout');
	});

	it('is not asked again by itself when it was cut', async () => {
		service.fault({ do: { type: 'limit_data', bytes: 300 } });
		const { error } = await execute(RETRIED);
		expect(error?.message).toContain('The answer stopped before its end');
		expect(error?.description).toMatch(/What arrived before|No text had arrived/);
		expect(posts(service)).toHaveLength(1);
	});

	it('gives up a stream of nothing but signs of life', async () => {
		service.forms.agent = 'sse-json';
		service.fault({ do: { type: 'keep_alives_only', every: 200 } });
		expect((await execute({}, quick)).error?.description).toMatch(/keep-alive messages/);
	});

	it('closes the connection when the execution is stopped', async () => {
		service.forms.gate = true;
		const { finished, stop } = start({ ...call, secrets: secretsOf(service) });
		await service.gated();
		stop();
		expect((await finished).run.status).not.toBe('success');
		await service.settled();
		expect(posts(service)).toMatchObject([{ abandoned: true }]);
	});
});
