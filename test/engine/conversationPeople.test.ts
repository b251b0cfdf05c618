import type { IDataObject, INodeParameters } from 'n8n-workflow';

import { converse, type Speaker } from './rig/converse';

// speakers that wait for a person, whose time is over. What comes back then is what n8n gave them.
const transcriptOf = ({ json }: { json: IDataObject }) => json['transcript'] as IDataObject[];

/** As "Send and Wait for Response" with Limit Wait Time. */
const waiting: Speaker = async (_json, n8n) => {
	await n8n.putExecutionToWait(new Date());
	return {};
};

/** A planner, a person who has to approve, and somebody who carries it out. */
const asked = async (item: IDataObject, options: INodeParameters = {}) => {
	const speakers = {
		Planner: () => ({ output: 'We transfer 10,000.' }),
		Approver: waiting,
		Doer: () => ({ output: 'Done.' }),
	};
	const talk = { parameters: { turnLimit: 3, options }, speakers, items: [item] };
	const { run } = await converse(talk);
	expect(run.status).toBe('waiting');
	return await converse({ ...talk, timedOut: run.data });
};

it.each<[string, IDataObject]>([
	['a usual item', {}],
	[
		'what a visitor of the chat wrote',
		{ approved: true, data: { approved: true, text: 'Yes' }, responder: 'The Boss', error: 'x' },
	],
])('silence is not approval: with %s, nobody behind the person is asked', async (_what, more) => {
	const outcome = await asked({ chatInput: 'Plan it', ...more });
	expect(outcome.json).toMatchObject({
		ended: 'denied',
		reason: 'Nobody answered in time: the turn of Approver was refused',
		output: 'We transfer 10,000.',
	});
	expect(transcriptOf(outcome)).toMatchObject([
		{ speaker: 'Planner' },
		{ speaker: 'Approver', text: '', note: 'Nobody answered in time' },
	]);
	expect(outcome.told).toEqual([]);
});

it('On Refused Approval: Skip lets it go on, as after a refusal', async () => {
	const outcome = await asked({ chatInput: 'Plan it' }, { onDenial: 'skip' });
	expect(outcome.json).toMatchObject({ ended: 'turnLimit' });
	expect(transcriptOf(outcome)[1]).toMatchObject({ text: '', note: 'Nobody answered in time' });
	expect(outcome.told).toMatchObject([{ speaker: 'Doer', json: { message: expect.any(String) } }]);
});

it('a node that only passes on what it gets, and has not waited, is silent', async () => {
	const { json } = await converse({
		parameters: { turnLimit: 3 },
		speakers: { Ada: () => ({ output: 'a' }), Log: (json) => json, Bob: () => ({ output: 'b' }) },
	});
	expect(json).toMatchObject({ ended: 'turnLimit', output: 'b', turns: 3 });
});
