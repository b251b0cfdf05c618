import type { INodeParameters, StructuredChunk } from 'n8n-workflow';

import { CARRY_ON, job, PICTURE } from './rig/calls';
import { fakeMinutes, letMinutesPass } from './rig/fakeMinutes';
import { type RunOptions } from './rig/run';
import { serviceForTests } from './rig/service';

// what a person in a chat sees while a job runs, which is never its cost, and who is told of that
const service = serviceForTests({}, { now: () => Date.now() });
fakeMinutes();
// a second at least
beforeEach(() => (service.forms.jobSteps = 6));

const CHATTED = {
	chatted: { sessionId: 's', chatInput: 'A lighthouse' },
	mode: 'webhook',
} as const;

async function watch(
	operation: string,
	parameters: INodeParameters = {},
	more: Partial<RunOptions> = CHATTED,
) {
	const chunks: StructuredChunk[] = [];
	const running = service.run(job(operation, { ...PICTURE, ...parameters }), {
		onChunk: (chunk) => chunks.push(chunk),
		...more,
	});
	const outcome = await letMinutesPass(running, [service], 20);
	const own = chunks.filter(({ metadata }) => metadata.nodeName === 'Node');
	const text = own
		.flatMap(({ type, content }) => (type === 'item' ? (content ?? '') : []))
		.join('');
	return { ...outcome, lines: text.split('\n\n').filter(Boolean) };
}

/** A wait for a job that was started before. */
async function watchWait(more?: Partial<RunOptions>) {
	const [started] = (await watch('start')).items;
	return await watch('wait', { jobId: started?.json['jobId'] as string }, more);
}

/** The service says so once, in place of "processing". */
const say = (method: string, status: string) =>
	service.fault({
		match: { method, path: '/jobs' },
		times: 1,
		do: { type: 'replace', find: '"status":"processing"', with: `"status":${status}` },
	});
const matching = (...lines: RegExp[]) => lines.map((line) => expect.stringMatching(line));

describe('a chat that streams shows', () => {
	it('that a job was started, each change of its status, and what came', async () => {
		say('POST', '"queued"');
		const { lines, items } = await watch('generate');
		expect(lines).toEqual([
			'Image: started',
			...matching(/^Image: processing( after \d+ s)?$/, /^Image: completed after \d+ s$/),
			`Image: ${String(items[0]?.binary?.['data']?.fileName)}`,
		]);
		// what was shown live is nowhere in the output
		expect(Object.keys(items[0]?.json ?? {}).sort()).toEqual(
			[
				'costUsd',
				'durationMs',
				'estimatedCostUsd',
				'file',
				'jobId',
				'mediaType',
				'model',
				'requestId',
				'state',
				'status',
			].sort(),
		);
	});

	it('which of several jobs it is about', async () => {
		const { lines } = await watch('generate', {}, { ...CHATTED, items: [{}, {}] });
		expect(lines.filter((line) => line.startsWith('Item 1: Image: '))).toHaveLength(3);
		expect(lines.filter((line) => line.startsWith('Item 2: Image: '))).toHaveLength(3);
	});

	it('how a job goes on that was started before', async () => {
		const { lines } = await watchWait();
		expect(lines).toEqual(['Image: processing', ...matching(/^Image: completed after \d+ s$/)]);
	});

	it('that it failed', async () => {
		const settings = CARRY_ON;
		const { lines } = await watch('generate', { prompt: '[[fail]]' }, { ...CHATTED, settings });
		expect(lines).toEqual(['Image: started', ...matching(/^Image: failed( after \d+ s)?$/)]);
	});
});

it.each<[string, INodeParameters, Partial<RunOptions>]>([
	['nothing if that is hidden', { options: { hideProgress: true } }, CHATTED],
	['nothing to a program that reads the stream of a webhook', {}, { mode: 'webhook' }],
	['nothing in a chat that does not stream', {}, { ...CHATTED, mode: 'trigger' }],
])('shows %s', async (_what, parameters, more) => {
	const { lines, items } = await watch('generate', parameters, more);
	expect([lines, items[0]?.json['state']]).toEqual([[], 'completed']);
});

it('shows nothing as a tool', async () => {
	const { lines, items, hints } = await watchWait({ ...CHATTED, asTool: true });
	expect([lines, hints]).toEqual([[], []]);
	expect(items[0]?.json).toMatchObject({ state: 'completed', costUsd: 0.04 });
});

describe('a hint says what the jobs of a run have cost', () => {
	const three = { items: [{}, {}, {}] };
	it.each([
		['of one', {}, {}, ['This job cost $0.04.']],
		['of three, once', {}, three, ['These 3 jobs cost $0.12.']],
		['not of a failed one', { prompt: '[[fail]]' }, { settings: CARRY_ON }, []],
	])('%s', async (_what, parameters, more, hints) => {
		expect((await watch('generate', parameters, more)).hints).toEqual(hints);
	});

	it('not where the service does not say it', async () => {
		service.forms.jobCost = 'absent';
		expect((await watch('generate')).hints).toEqual([]);
	});

	it('of a job that was waited for', async () => {
		expect((await watchWait()).hints).toEqual(['This job cost $0.04.']);
	});
});
