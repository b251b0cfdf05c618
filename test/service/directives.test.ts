import { directivesOf, numberIn, wordsOf } from './directives.ts';
import { client } from './probe.ts';
import { startService, type Service } from './service.ts';

let service: Service;
beforeAll(async () => (service = await startService()));
beforeEach(() => service.reset());
afterAll(() => service.stop());

it('reads names and values', () => {
	const found = directivesOf('a [[gate]] b [[words:50]] [[size:0]] [[tool:get it]] [[x');
	expect([...found]).toEqual([
		['gate', ''],
		['words', '50'],
		['size', '0'],
		['tool', 'get it'],
	]);
	expect(['gate', 'words', 'size', 'tool', 'none'].map((name) => numberIn(found, name))).toEqual([
		undefined,
		50,
		0,
		undefined,
		undefined,
	]);
});

it.each(['', 'a', ' a  b\nc ', '  ', 'héllo wörld\t'])(
	'the words of %j join to it again',
	(text) => {
		expect(wordsOf(text).join('')).toBe(text);
	},
);

const router = () => client(service.url, { 'x-api-key': service.router.keys.main });
const respond = async (input: string) =>
	(await router().post('/v1/responses', { model: 'tiny/plain-text-1', input })).data as {
		id: string;
		output: Array<{ content: Array<{ text: string }> }>;
	};

it('[[say:…]] gives just that text, in B and C', async () => {
	expect((await respond('[[say:exactly this]]')).output[0]?.content[0]?.text).toBe('exactly this');
	const { data } = await client(service.assistant.baseUrl, {
		'x-api-key': service.assistant.keys.pro,
	}).post('/invoke_assistant', { message: '[[say:exactly this]]' });
	expect(data.answer).toBe('exactly this');
});

it('gives the same ids again after a reset', async () => {
	const { id } = await respond('hi');
	expect((await respond('hi')).id).not.toBe(id);
	service.reset();
	expect((await respond('hi')).id).toBe(id);
});

it('pace: the pieces are the same', async () => {
	const ask = async () => {
		const body = { model: 'tiny/plain-text-1', input: 'hi', stream: true };
		const { data } = await router().post('/v1/responses', body);
		return String(data).replace(/"created_at":\d+/g, '');
	};
	const plain = await ask();
	service.reset();
	service.forms.pace = 1;
	expect(await ask()).toBe(plain);
});

it.each([
	'/api/ai-assistant',
	'/api/ai-assistant/v1//invoke_assistant',
	'/api/ai-assistant/v2/invoke_assistant',
	'/api/other/v1/invoke_assistant',
	'/v1/chat',
	'/v1/images/jobs/a/b/c',
	'/v1/%zz',
	'/v2/models',
])('no such path: %s', async (path) => {
	const key = { 'x-api-key': service.assistant.keys.pro };
	const answers = [await router().post(path, {}), await client(service.url, key).post(path, {})];
	expect(answers.map(({ status }) => status)).toContain(404);
});
