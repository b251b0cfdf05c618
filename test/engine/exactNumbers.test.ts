import { startContrary, type Contrary } from './contrary';
import { assistant, chat, job, response } from './rig/calls';
import { run, type RunOptions } from './rig/run';

// a whole number that JavaScript would round is not sent as another one, and an ID that is one keeps all its digits
let service: Contrary;
beforeAll(async () => (service = await startContrary()));
afterAll(() => service.stop());

const NUMBER = '12345678901234567890';
const picture = {
	mediaType: 'images',
	model: { __rl: true, mode: 'id', value: 'canvas/x' },
	prompt: 'p',
	options: { allowUnknownCost: true },
};
const STREAM = 'data: {"choices":[{"delta":{"content":"{\\"a\\":1}"}}]}\n\ndata: [DONE]\n\n';
const RESPONSE =
	'data: {"type":"response.completed","response":{"output":[{"type":"message","content":[{"type":"output_text","text":"a"}]}]}}\n\n';

const posted = async (
	what: Pick<RunOptions, 'node' | 'parameters' | 'credential'>,
	items: object[] = [{}],
) => {
	service.answer(({ method, url = '' }) => {
		if (method !== 'POST') return undefined;
		if (url.includes('/jobs'))
			return { type: 'application/json', body: '{"id":"j-1","status":"queued"}' };
		return { type: 'text/event-stream', body: url.includes('responses') ? RESPONSE : STREAM };
	});
	const { error, items: out } = await run({
		...what,
		secrets: service.secrets,
		items: items as [],
	});
	return { error, body: service.posted[0], items: out };
};

it.each<[string, Pick<RunOptions, 'node' | 'parameters' | 'credential'>]>([
	['Parameters of a job', job('start', { ...picture, parameters: `{"seed": ${NUMBER}}` })],
	[
		'Parameters with an expression in the text',
		job('start', { ...picture, parameters: '={"seed": {{ $json.seed }} }' }),
	],
	[
		'Additional Fields of a chat',
		chat('q', { options: { additionalFields: `{"seed": ${NUMBER}}` } }),
	],
	[
		'Additional Fields of a response',
		response('q', { options: { additionalFields: `{"metadata": {"seed": ${NUMBER}}}` } }),
	],
	[
		'a JSON schema',
		chat('q', {
			responseFormat: 'json_schema',
			jsonSchema: `{"type":"object","properties":{"a":{"type":"integer","maximum":${NUMBER}}}}`,
		}),
	],
	[
		'Parameters that n8n has rounded already',
		job('start', { ...picture, parameters: `={{ {"seed": ${NUMBER}} }}` }),
	],
	[
		'Additional Fields that n8n has rounded already',
		chat('q', { options: { additionalFields: `={{ {"seed": ${NUMBER}} }}` } }),
	],
])('in %s it is refused before anything is sent', async (_where, what) => {
	const { error, body } = await posted(what, [{ seed: NUMBER }]);
	expect(error?.message).toContain('has a whole number with more digits than n8n keeps (12345678');
	expect(error?.description).toContain('in quotes');
	expect(body).toBeUndefined();
});

it('in quotes it is sent', async () => {
	const additionalFields = `{"metadata": {"order": "${NUMBER}"}}`;
	const { body } = await posted(chat('q', { options: { additionalFields } }));
	expect(body).toContain(`"order":"${NUMBER}"`);
});

it.each<[string, Pick<RunOptions, 'node' | 'parameters' | 'credential'>, string, object]>([
	['a job', job('start', picture), `{"id":${NUMBER},"status":"queued"}`, { jobId: NUMBER }],
	[
		'a chat',
		assistant('ask', { question: 'q' }),
		`{"answer":"a","chat_id":${NUMBER}}`,
		{ chatId: NUMBER },
	],
])('the ID of %s keeps its digits', async (_what, what, body, ids) => {
	service.answer(({ method }) =>
		method === 'POST' ? { type: 'application/json', body } : undefined,
	);
	const { items } = await run({ ...what, secrets: service.secrets });
	expect(items[0]?.json).toMatchObject(ids);
});
