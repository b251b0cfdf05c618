import type { Forms } from '../forms.ts';
import type { Request, Row } from './ask.ts';

export const MODEL = 'northwind/quill-2.5';
export const REASONER = 'aurora-labs/deep-reason-1';
/** Takes every modality. */
export const OMNI = 'aurora-labs/omni-2';

export const user = (content: unknown) => [{ role: 'user', content }];
export type Body = Record<string, unknown>;

/** A chat completion; a text stands for the message of the user. */
export const chat = (said: unknown, body: Body = {}, forms: Partial<Forms> = {}): Request => ({
	path: '/v1/chat/completions',
	body: { model: MODEL, messages: user(said), ...body },
	forms,
});
export const respond = (input: unknown, body: Body = {}, forms: Partial<Forms> = {}): Request => ({
	path: '/v1/responses',
	body: { model: MODEL, input, ...body },
	forms,
});
export const streamed = ({ body, ...call }: Request): Request => ({
	...call,
	body: { ...(body as Body), stream: true },
});
export const get = (path: string, forms: Partial<Forms> = {}): Request => ({
	path: `/v1/${path}`,
	forms,
});
export const like = (expression: RegExp) => expect.stringMatching(expression) as string;
export const not = (field: string) =>
	expect.not.objectContaining({ [field]: expect.anything() }) as object;
export const any = (...parts: object[]) => expect.arrayContaining(parts) as object;

export const code = (name: string, status = 400) => ({ status, code: name, paid: 0, held: 0 });
export const FAILED = 'The backend failed';
export const DONE = { data: '[DONE]' };
/** Chunks of a completion by their only choice. */
export const chunks = (...choices: object[]) =>
	choices.map((each) => ({ data: { choices: [each] } }));
const city = { type: 'object', properties: { city: { type: 'string' } } };
export const functions = ['weather', 'time'].map((name) => ({
	type: 'function',
	name,
	parameters: city,
}));
export const tools = functions.map(({ type, ...named }) => ({ type, function: named }));
/** With a system message that is marked for the cache. */
export const marked = (call: typeof chat, body: Body = {}): Request => {
	const type = call === chat ? 'text' : 'input_text';
	const part = { type, text: 'You are terse', cache_control: { type: 'ephemeral' } };
	const messages = [{ role: 'system', content: [part] }, ...user('[[say:ok]]')];
	return call('', { ...(call === chat ? { messages } : { input: messages }), ...body });
};
const jsonSchema = (schema: object) => ({
	response_format: { type: 'json_schema', json_schema: { name: 'x', schema } },
});
export const SCHEMA = {
	type: 'object',
	properties: { name: { type: 'string' }, age: { type: 'integer' } },
	required: ['age'],
};
/** The same text in both protocols, plain and streamed. */
export const everywhere = (said: string, text: string, schema?: object): Row[] => {
	const body = schema ? jsonSchema(schema) : {};
	const format = schema ? { text: { format: { type: 'json_schema', name: 'x', schema } } } : {};
	const asked = [chat(said, body), respond(said, format)];
	return [...asked, ...asked.map(streamed)].map((call) => [call, { text }]);
};
export const parts = (...kinds: string[]) => [
	{ type: 'text', text: 'look' },
	...kinds.map((type) => ({ type, [type]: { url: 'data:;base64,AA==' } })),
];
export const errorLine = (form: Forms['errorLine'], line: object): Row[] =>
	[chat, respond].map((call) => [
		streamed(call('a [[break:0]]', {}, { errorLine: form })),
		{ events: any({ ...(form === 'named' && { event: 'error' }), data: line }, DONE), paid: 1 },
	]);

export const PARTS = parts('file', 'input_audio', 'input_file', 'image_url', 'video_url');
