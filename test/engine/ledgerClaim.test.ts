import type { INodeParameters } from 'n8n-workflow';

import { toRow } from '../../src/ledger/entry';
import { json, type Answer } from '../service/answer';
import type { Call } from '../service/call';
import { startService, type Service } from '../service/service';
import { job, posts, secretsWithLedger } from './rig/calls';
import { startDataTables, type DataTables } from './rig/dataTables';
import { run } from './rig/run';

// what the job ledger decides about a start, and what becomes of it where the ledger fails: n8n's Data Tables stand beside the service
let service: Service;
let n8n: DataTables;
/** Answers in place of the service. */
let answerFirst: ((call: Call) => Answer | undefined) | undefined;
beforeAll(async () => {
	service = await startService({ further: (call) => answerFirst?.(call) });
	n8n = await startDataTables();
});
beforeEach(() => {
	service.reset();
	n8n.service.reset();
	n8n.rows.length = 0;
});
afterAll(async () => {
	await service.stop();
	await n8n.stop();
});

const startAll = async (
	prompts: string[],
	parameters: INodeParameters,
	ledgerFields = n8n.ledgerFields,
) =>
	await run({
		...job('start', {
			useLedger: true,
			mediaType: 'images',
			model: { __rl: true, mode: 'id', value: 'canvas/sketch-1' },
			prompt: '={{ $json.prompt }}',
			...parameters,
			requestSettings: { concurrency: 1 },
		}),
		items: prompts.map((prompt) => ({ prompt })),
		secrets: secretsWithLedger(service, { ledgerFields }),
		settings: {
			onError: 'continueErrorOutput',
		},
	});

describe('a start that waits after a 429', () => {
	/** Changes the only row when the service has answered 429. */
	const meanwhile = (changes: object) => {
		answerFirst = ({ method }) => {
			if (method !== 'POST') return undefined;
			answerFirst = undefined;
			Object.assign(n8n.rows[0]!, changes);
			return json({}, 429);
		};
	};
	afterEach(() => (answerFirst = undefined));

	it.each([
		['with a key', { idempotencyKey: 'order-1' }],
		['without a key', {}],
	])('%s: is not sent again once a person has resolved it', async (_name, parameters) => {
		meanwhile({ state: 'notStarted', claim: '' });
		const { failed } = await startAll(['one'], parameters);
		expect(failed[0]?.json).toMatchObject({
			error: expect.stringContaining('a person resolved it meanwhile'),
			details: { outcome: 'not_started' },
		});
		expect(posts(service)).toHaveLength(1);
		expect(service.world.starts).toEqual([]);
	});

	it('is sent once more where it was only called unknown', async () => {
		meanwhile({ state: 'unknown' });
		const { items } = await startAll(['one'], { idempotencyKey: 'order-1' });
		expect(items[0]?.json).toMatchObject({ jobId: service.world.starts[0]?.jobId });
		expect(n8n.entries()).toMatchObject([{ state: 'pending', startKey: 'order-1' }]);
	});
});

describe('a rival of a start that does not end', () => {
	/** Another execution's start with the key, renewed so many seconds ago. */
	const sentAgo = (seconds: number) => {
		const renewedAt = Date.now() - seconds * 1000;
		n8n.rows.push({
			...toRow({ state: 'sending', startKey: 'order-1', claim: 'another', execution: '7' }),
			...{ id: 1, startedAt: renewedAt, leaseUntil: renewedAt + 600_000 },
		});
	};

	it('says at once that nothing has come of it for a minute', async () => {
		sentAgo(61);
		const { failed } = await startAll(['one'], { idempotencyKey: 'order-1' });
		expect(failed[0]?.json).toMatchObject({
			error: expect.stringMatching(/^Another execution is starting the job of the key "order-1"/),
			details: { outcome: 'unknown', idempotencyKey: 'order-1', entryId: '1' },
		});
		expect(n8n.entries()).toMatchObject([{ state: 'sending', claim: 'another' }]);
		expect(posts(service)).toEqual([]);
	});

	it('says at once that its outcome is unknown once its lease has ended', async () => {
		sentAgo(601);
		const { failed } = await startAll(['one'], { idempotencyKey: 'order-1' });
		expect(failed[0]?.json['error']).toMatch(
			/^It is not known whether the job of the key "order-1"/,
		);
		expect(n8n.entries()).toMatchObject([{ state: 'unknown' }]);
		expect(posts(service)).toEqual([]);
	});
});

it('a failure of n8n costs the items that it meets, and not those after it', async () => {
	// one that does not pass, for which a start would wait
	n8n.service.fault({ match: { method: 'GET' }, times: 1, do: { type: 'status', status: 401 } });
	const unseen = { ...n8n.ledgerFields, ledgerTable: 'Not seen before' };
	const { items, failed } = await startAll(['one', 'two', 'three'], {}, unseen);
	expect(failed).toMatchObject([
		{ json: { details: { status: 401, outcome: 'not_started' } }, pairedItem: { item: 0 } },
	]);
	expect(items.map(({ pairedItem }) => pairedItem)).toEqual([{ item: 1 }, { item: 2 }]);
});
