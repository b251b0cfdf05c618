import type { IDataObject, INodeParameters } from 'n8n-workflow';

import { converse } from './rig/converse';

// speakers that wait for a person, whose time is over. What comes back then is what n8n gave them.

/** A planner, a person who has to approve, and somebody who carries it out. */
const asked = async (item: IDataObject, options: INodeParameters = {}) => {
	const talk: Parameters<typeof converse>[0] = {
		parameters: { turnLimit: 3, options },
		speakers: {
			Planner: () => ({ output: 'We transfer 10,000.' }),
			/** As "Send and Wait for Response" with Limit Wait Time. */
			async Approver(_json, n8n) {
				await n8n.putExecutionToWait(new Date());
				return {};
			},
			Doer: () => ({ output: 'Done.' }),
		},
		items: [{ chatInput: 'Plan it', ...item }],
	};
	const { run } = await converse(talk);
	expect(run.status).toBe('waiting');
	const stored = JSON.stringify(run.data).replace(/(?<="askedAt":)\d+/, (at) =>
		String(Number(at) - AN_HOUR),
	);
	return await converse({ ...talk, waiting: JSON.parse(stored) as typeof run.data });
};
const AN_HOUR = 3_600_000;
const silence = { speaker: 'Approver', text: '', note: 'Nobody answered in time' };

it.each<[string, IDataObject]>([
	['a usual item', {}],
	[
		'what a visitor of the chat wrote',
		{ approved: true, data: { approved: true, text: 'Yes' }, responder: 'The Boss', error: 'x' },
	],
])('silence is not approval: with %s, nobody behind the person is asked', async (_what, more) => {
	const { json, told } = await asked(more);
	expect(json).toMatchObject({
		ended: 'denied',
		reason: 'Nobody answered in time: the turn of Approver was refused',
		output: 'We transfer 10,000.',
		transcript: [{ speaker: 'Planner' }, silence],
	});
	expect(told).toEqual([]);
	// n8n has run the node of the person for a moment only
	const [planned, waited] = (json['transcript'] as IDataObject[]).map((turn) => turn['durationMs']);
	expect(planned).toBeLessThan(AN_HOUR);
	expect(waited).toBeGreaterThanOrEqual(AN_HOUR);
});

it('On Refused Approval: Skip lets it go on, as after a refusal', async () => {
	const { json, told } = await asked({}, { onDenial: 'skip' });
	expect(json).toMatchObject({ ended: 'turnLimit', transcript: [{}, silence, {}] });
	expect(told).toMatchObject([{ speaker: 'Doer', json: { message: expect.any(String) } }]);
});

it('a node that only passes on what it gets, and has not waited, is silent', async () => {
	const { json } = await converse({
		parameters: { turnLimit: 3 },
		speakers: { Ada: () => ({ output: 'a' }), Log: (json) => json, Bob: () => ({ output: 'b' }) },
	});
	expect(json).toMatchObject({ ended: 'turnLimit', output: 'b', turns: 3 });
});
