import type { INodeParameters } from 'n8n-workflow';

import { json, type Answer } from '../service/answer';
import type { Call } from '../service/call';
import { CARRY_ON, posts } from './rig/calls';
import { startLedgerRig } from './rig/ledger';
import { run } from './rig/run';

// what the job ledger decides about a start, and what becomes of it where the ledger fails
/** Answers in place of the service. */
let answerFirst: ((call: Call) => Answer | undefined) | undefined;
const rig = startLedgerRig({ further: (call) => answerFirst?.(call) });
afterEach(() => (answerFirst = undefined));

const startAll = async (prompts: string[], uniqueKey: string, secrets = rig.secrets()) => {
	const { parameters, ...options } = rig.starting('={{ $json.prompt }}', { uniqueKey });
	return await run({
		...{ ...options, secrets, settings: CARRY_ON },
		items: prompts.map((prompt) => ({ prompt })),
		parameters: { ...parameters, requestSettings: { concurrency: 1 } } as INodeParameters,
	});
};

describe('a start that waits after a 429', () => {
	/** Changes the only row when the service has answered 429. */
	const meanwhile = (changes: object) => {
		answerFirst = ({ method }) => {
			if (method !== 'POST') return undefined;
			answerFirst = undefined;
			Object.assign(rig.n8n.rows[0]!, changes);
			return json({}, 429);
		};
	};

	it.each(['order-1', ''])('is not sent again once a person has resolved it (%s)', async (key) => {
		meanwhile({ state: 'notStarted', claim: '' });
		const { failed } = await startAll(['one'], key);
		expect(failed[0]?.json).toMatchObject({
			error: expect.stringContaining('a person resolved it in the meantime'),
			details: { outcome: 'not_started' },
		});
		expect(posts(rig.service)).toHaveLength(1);
		expect(rig.service.world.starts).toEqual([]);
	});
});

it('a failure of n8n costs the items that it meets, and not those after it', async () => {
	// one that does not pass, for which a start would wait
	const fault = { type: 'status', status: 401 } as const;
	rig.n8n.service.fault({ match: { method: 'GET' }, times: 1, do: fault });
	const unseen = rig.secrets({ ledgerTable: 'Not seen before' });
	const { items, failed } = await startAll(['one', 'two', 'three'], '', unseen);
	expect(failed).toMatchObject([
		{ json: { details: { status: 401, outcome: 'not_started' } }, pairedItem: { item: 0 } },
	]);
	expect(items.map(({ pairedItem }) => pairedItem)).toEqual([{ item: 1 }, { item: 2 }]);
});
