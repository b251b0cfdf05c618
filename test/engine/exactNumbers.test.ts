import { contraryForTests } from './contrary';
import { assistant, chat, job, response } from './rig/calls';
import { run, type RunOptions } from './rig/run';

// a whole number that JavaScript would round is not sent as another one, and an ID that is one keeps all its digits
const service = contraryForTests();

const NUMBER = '12345678901234567890';
const model = { __rl: true, mode: 'id', value: 'canvas/x' };
const options = { allowUnknownCost: true };
const picture = { mediaType: 'images', model, prompt: 'p', options };
const start = (parameters: string) => job('start', { ...picture, parameters });
const fields = (additionalFields: string) => chat('q', { options: { additionalFields } });
const STREAM = 'data: {"choices":[{"delta":{"content":"{\\"a\\":1}"}}]}\n\ndata: [DONE]\n\n';

type Call = Pick<RunOptions, 'node' | 'parameters' | 'credential'>;
const execute = async (call: Call, type = 'text/event-stream', body = STREAM) => {
	service.answer(({ method }) => (method === 'POST' ? { type, body } : undefined));
	return await run({ ...call, secrets: service.secrets, items: [{ seed: NUMBER }] });
};

it.each<[string, Call]>([
	['Parameters of a job', start(`{"seed": ${NUMBER}}`)],
	['Parameters with an expression in the text', start('={"seed": {{ $json.seed }} }')],
	['Parameters that n8n has rounded already', start(`={{ {"seed": ${NUMBER}} }}`)],
	['Additional Fields of a chat', fields(`{"seed": ${NUMBER}}`)],
	['Additional Fields that n8n has rounded already', fields(`={{ {"seed": ${NUMBER}} }}`)],
	[
		'Additional Fields of a response',
		response('q', { options: { additionalFields: `{"metadata": {"seed": ${NUMBER}}}` } }),
	],
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

it.each<[string, Call, string, object]>([
	['a job', job('start', picture), `{"id":${NUMBER},"status":"queued"}`, { jobId: NUMBER }],
	[
		'a chat',
		assistant('ask', { question: 'q' }),
		`{"answer":"a","chat_id":${NUMBER}}`,
		{ chatId: NUMBER },
	],
])('the ID of %s keeps its digits', async (_what, call, body, ids) => {
	const { items } = await execute(call, 'application/json', body);
	expect(items[0]?.json).toMatchObject(ids);
});
