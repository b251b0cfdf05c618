import type { Workflow } from 'n8n-workflow';

import { RETRIED, secretsOf } from './rig/calls';
import { converse, type ConverseOptions } from './rig/converse';
import { ours } from './rig/flow';
import { serviceForTests } from './rig/service';

// What n8n runs again, and what no node should return. Each in a real n8n, too, where it can happen there: test/n8n/conversation*.
const speakers = { Ada: () => ({ output: 'a' }), Bob: () => ({ output: 'b' }) };
const talk = async (options: Partial<ConverseOptions>) => {
	const outcome = await converse({ speakers, settings: RETRIED, ...options });
	return { ...outcome, asked: outcome.told.map(({ speaker }) => speaker).join(' ') };
};

it('trap 2: answers come again with every try, and none counts twice', async () => {
	let calls = 0;
	const { json, error, asked } = await talk({
		parameters: { turnLimit: 4 },
		// each call fails twice, after the node has taken the answers
		onCalled() {
			if (++calls % 3) throw new Error('It broke');
		},
	});
	expect(error).toBeUndefined();
	expect([calls, asked]).toEqual([15, 'Ada Bob Ada Bob']);
	expect(json).toMatchObject({ ended: 'turnLimit', turns: 4 });
});

it('an answer that cannot be read is a failed turn, and the turns before are in the output', async () => {
	const own: Record<string, unknown> = {};
	own['own'] = own;
	const { json, error, asked } = await talk({
		speakers: { ...speakers, Bob: () => ({ output: own as never }) },
	});
	expect([error, asked]).toEqual([undefined, 'Ada Bob']);
	expect(json).toMatchObject({
		ended: 'speakerFailed',
		output: 'a',
		turns: 2,
		failure: { speaker: 'Bob', error: expect.stringMatching(/^The answer cannot be read: /) },
	});
});

it('a defect of n8n in the middle loses no turn that was paid for', async () => {
	const { json, error, asked } = await talk({
		speakers: {
			...speakers,
			Bob(_json, n8n) {
				const { workflow } = n8n as unknown as { workflow: Workflow };
				const whole = workflow.getParentNodes.bind(workflow);
				workflow.getParentNodes = (name, type, depth) => {
					if (type === 'ai_tool' && depth === 1) throw new Error('It broke');
					return whole(name, type, depth);
				};
				return { output: 'b', costUsd: 0.5 };
			},
		},
	});
	expect([error, asked]).toEqual([undefined, 'Ada Bob']);
	expect(json).toMatchObject({
		ended: 'speakerFailed',
		reason: 'The conversation could not continue: It broke',
		output: 'b',
		turns: 2,
		costUsd: 0.5,
	});
});

describe('"Retry" of an execution that a speaker has stopped', () => {
	const service = serviceForTests();

	const credential = 'workspaceAgentApi';
	const settings = { onError: 'stopWorkflow' } as const;
	const agent = ours('Agent', 'workspaceAgentTool', { credential, settings });
	const hold = async (more: Partial<ConverseOptions> = {}) =>
		await converse({
			parameters: { turnLimit: 4 },
			speakers: { Ada: agent, Bob: agent },
			secrets: secretsOf(service),
			...more,
		});
	/** The third turn: the second one of Ada. */
	const stopped = async (status: number) => {
		const match = { method: 'POST' };
		service.fault({ match, skip: 2, times: 1, do: { type: 'status', status } });
		const { run, error } = await hold();
		expect(error).toBeDefined();
		expect(service.requests).toHaveLength(3);
		return run.data;
	};

	it('gives a speaker its message once more, although n8n has no record of it', async () => {
		const { json, error } = await hold({ retry: await stopped(400) });
		expect(error).toBeUndefined();
		expect(json).toMatchObject({ ended: 'turnLimit', turns: 4 });
		const { requests } = service;
		expect(requests).toHaveLength(5);
		const { path, body } = requests[2]!;
		expect(requests[3]).toMatchObject({ path, body });
	});

	it('sends nothing again that may have been received', async () => {
		const { error } = await hold({ retry: await stopped(500) });
		expect(error?.description).toContain('It was not sent again');
		expect(service.requests).toHaveLength(3);
	});

	it('ends the conversation if the next speaker is gone', async () => {
		const { json, error } = await hold({
			retry: await stopped(400),
			speakers: { Ada: agent, Bob: { ...agent, disabled: true } },
		});
		expect(error).toBeUndefined();
		expect(json).toMatchObject({
			ended: 'speakerFailed',
			reason: 'Bob is no longer connected',
			turns: 3,
			failure: {
				turn: 4,
				speaker: 'Bob',
				error: expect.stringContaining('Nothing was sent to it'),
			},
		});
		expect(service.requests).toHaveLength(4);
	});
});
