import { contraryForTests } from './contrary';
import { chat, job, PICTURE } from './rig/calls';
import { run, type RunOptions } from './rig/run';

// a whole number that JavaScript would round is not sent as another one
const service = contraryForTests();

const NUMBER = '12345678901234567890';
const start = (parameters: string) => job('start', { ...PICTURE, parameters });
const fields = (additionalFields: string) => chat('q', { options: { additionalFields } });
const STREAM = 'data: {"choices":[{"delta":{"content":"{\\"a\\":1}"}}]}\n\ndata: [DONE]\n\n';

type Call = Pick<RunOptions, 'node' | 'parameters' | 'credential'>;
const execute = async (call: Call) => {
	const answer = { type: 'text/event-stream', body: STREAM };
	service.answer(({ method }) => (method === 'POST' ? answer : undefined));
	return await run({ ...call, secrets: service.secrets, items: [{ seed: NUMBER }] });
};

it.each<[string, Call]>([
	['Parameters of a job', start(`{"seed": ${NUMBER}}`)],
	['Parameters that n8n has rounded already', start(`={{ {"seed": ${NUMBER}} }}`)],
	['Additional Fields of a chat', fields(`{"seed": ${NUMBER}}`)],
	[
		'a JSON schema',
		chat('q', {
			responseFormat: 'json_schema',
			jsonSchema: `{"type":"object","properties":{"a":{"maximum":${NUMBER}}}}`,
		}),
	],
])('in %s it is refused before anything is sent', async (_where, call) => {
	const { error } = await execute(call);
	expect(error?.message).toContain('has a whole number with more digits than n8n keeps (12345678');
	expect(error?.description).toContain('in quotes');
	expect(service.posted).toEqual([]);
});

it('in quotes it is sent', async () => {
	await execute(fields(`{"metadata": {"order": "${NUMBER}"}}`));
	expect(service.posted[0]).toContain(`"order":"${NUMBER}"`);
});
