import { startContrary, type Contrary } from './contrary';
import { chat, job, response } from './rig/calls';
import { run, type RunOptions } from './rig/run';

// a whole number that JavaScript would round reaches the service with all its digits
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
])('%s', async (_where, what) => {
	const { error, body } = await posted(what, [{ seed: NUMBER }]);
	expect(error).toBeUndefined();
	expect(body).toMatch(new RegExp(`":${NUMBER}[,}]`));
});

it.each<[string, Pick<RunOptions, 'node' | 'parameters' | 'credential'>]>([
	['Parameters', job('start', { ...picture, parameters: '={{ {"seed": 12345678901234567890} }}' })],
	[
		'Additional Fields',
		chat('q', { options: { additionalFields: '={{ {"seed": 12345678901234567890} }}' } }),
	],
])('%s that n8n has rounded already are refused before anything is sent', async (_where, what) => {
	const { error, body } = await posted(what);
	expect(error?.message).toContain('has a whole number with more digits than n8n keeps');
	expect(error?.description).toContain('as text');
	expect(body).toBeUndefined();
});

it('what is sent once is not sent again, with such a number as well', async () => {
	const what = job('start', { ...picture, parameters: `{"seed": ${NUMBER}}` });
	let starts = 0;
	service.answer(({ method }) =>
		method === 'POST' ? (starts++, { type: 'application/json', body: '{"id":"j-1"}' }) : undefined,
	);
	const { run: executed } = await run({
		...what,
		secrets: service.secrets,
		items: [{}, {}],
		settings: { retryOnFail: true, maxTries: 2, waitBetweenTries: 0 },
	});
	expect(executed.data.resultData.error).toBeUndefined();
	expect(starts).toBe(2);
});
