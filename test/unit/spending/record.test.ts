import { NodeSpending } from '../../../src/spending/record';
import type { SpendingNews } from '../../../src/spending/recordBook';

const spender = { workflowId: 'w', workflow: 'W', nodeId: 'n', node: 'N', lastExecutionId: '1' };

/** The record of a node run whose writes take as long as the test wants. */
function openRecord() {
	const written: Array<Pick<SpendingNews, 'entries' | 'decided' | 'ended'>> = [];
	let finish: () => void = () => undefined;
	const write = async ({ entries, decided, ended }: SpendingNews) => {
		await new Promise<void>((resolve) => (finish = resolve));
		written.push({ entries, decided, ended });
		return '';
	};
	const spending = new NodeSpending({
		writer: {
			join: () => undefined,
			write,
			end: write,
			flush: async () => await Promise.resolve(),
		},
		open: async () => await Promise.reject(new Error('not used')),
		clock: { now: () => Date.parse('2026-11-24T12:00:00Z'), random: () => 0, sleep: tick },
		log: () => undefined,
		table: 'Agent Spending',
		credentialId: 'c',
		spender,
		addHint: () => undefined,
	});
	return { spending, written, finish: () => finish() };
}

const tick = async () => await new Promise<void>((resolve) => setImmediate(resolve));

it.each<[string, string | undefined, isJob: boolean, waits: boolean]>([
	// a person may decide as soon as the row of the start says that its outcome is unknown
	['a start of unknown outcome waits until it is listed', 'claim', false, true],
	['a start that nobody can decide about does not', undefined, false, false],
	['a job does not: nothing comes between its ID and its row', 'claim', true, false],
])('%s', async (_what, claim, isJob, waits) => {
	const { spending, written, finish } = openRecord();
	const request = spending.openRequest('m', '', claim);
	const share = await request.reserve({ microUsd: 1, advise: () => '' });
	if (isJob) request.setJob('images', '7');
	let isSettled = false;
	const settled = Promise.resolve(share.settle(undefined)).then(() => (isSettled = true));
	await tick();
	expect(isSettled).toBe(!waits);
	finish();
	await settled;
	expect(written).toHaveLength(claim ? 1 : 0);
});
