import { addAttachments, type Attachment } from '../../../src/router/messages';
import { toResponseBody } from '../../../src/router/protocols';
import type { ChatRequest } from '../../../src/router/chatCompletions';

const URL = 'https://host/path/a.bin?b=c/d.e#f/g';
const DATA = 'data:application/pdf;base64,AA/BB';
const file = (mimeType: string) => ({ base64: 'AAAA', mimeType, fileName: 'a.bin' });
const inline = (mimeType: string) => `data:${mimeType};base64,AAAA`;
const SOUND = { type: 'input_audio', input_audio: { data: 'AAAA', format: 'mp3' } };
const media = (type: string, url: string) => ({ type: `${type}_url`, [`${type}_url`]: { url } });
const input = (type: string, url: string) => ({ type: `input_${type}`, [`${type}_url`]: url });
const chatFile = (filename: string, file_data: string) => ({
	type: 'file',
	file: { filename, file_data },
});
const inputFile = (filename: string, file_data: string) => ({
	type: 'input_file',
	filename,
	file_data,
});
const send = (request: Partial<ChatRequest>) =>
	toResponseBody({ model: 'm', messages: [{ role: 'user', content: 'x' }], ...request });

const partOf = (attachment: Attachment) => {
	const messages = addAttachments([], [attachment]);
	const { input: items } = send({ messages });
	return [messages, items].map((list) => (list as Array<{ content: object[] }>)[0]?.content[0]);
};

const PDF = 'application/pdf';
const NAMELESS = 'https://host/';

it.each(['image', 'video'] as const)('an %s in both protocols', (modality) => {
	for (const [url, given] of [
		[URL, { url: URL }],
		[inline(`${modality}/x`), file(`${modality}/x`)],
	] as const)
		expect(partOf({ modality, ...given })).toEqual([media(modality, url), input(modality, url)]);
});

it.each<[string, Attachment, object, object]>([
	['sound', { modality: 'audio', url: URL }, media('audio', URL), input('audio', URL)],
	['sound in itself', { modality: 'audio', ...file('audio/mpeg') }, SOUND, SOUND],
	['a file', { modality: 'file', url: URL }, chatFile('a.bin', URL), input('file', URL)],
	[
		'no name',
		{ modality: 'file', url: NAMELESS },
		chatFile('file', NAMELESS),
		input('file', NAMELESS),
	],
	[
		'a file in itself',
		{ modality: 'file', ...file(PDF) },
		chatFile('a.bin', inline(PDF)),
		inputFile('a.bin', inline(PDF)),
	],
	[
		'a file in its address',
		{ modality: 'file', url: DATA },
		chatFile('file', DATA),
		inputFile('file', DATA),
	],
])('%s in both protocols', (_name, attachment, chat, response) => {
	expect(partOf(attachment)).toEqual([chat, response]);
});

it.each([
	['audio/x-wav', 'wav'],
	['audio/wave', 'wav'],
	['audio/vnd.wave', 'wav'],
	['AUDIO/FLAC', 'flac'],
	['audio/ogg; codecs=opus', 'ogg'],
])('sound of the type %s has the format %s', (mimeType, format) => {
	const sound = { type: 'input_audio', input_audio: { data: 'AAAA', format } };
	expect(partOf({ modality: 'audio', ...file(mimeType) })).toEqual([sound, sound]);
});

it('converts instructions, calls, results, tools and settings for the responses protocol', () => {
	const { messages, ...request } = {
		messages: [
			{ role: 'system' as const, content: 'Be brief.' },
			{
				role: 'user' as const,
				content: [
					{ type: 'text', text: 'What is this?' },
					{ type: 'image_url', image_url: { url: URL, detail: 'low' } },
					{ type: 'new', x: 1 },
				],
			},
			{
				role: 'assistant' as const,
				content: [{ type: 'text', text: 'I look.' }],
				tool_calls: [{ id: 'c1', type: 'function', function: { name: 'look', arguments: '{}' } }],
			},
			{ role: 'tool' as const, content: 'a cat', tool_call_id: 'c1' },
		],
		max_tokens: 10,
		reasoning_effort: 'low',
		temperature: 0,
		user: 'u',
		response_format: { type: 'json_schema', json_schema: { name: 'answer', schema: {} } },
		tools: [{ type: 'function', function: { name: 'look', parameters: {} } }],
		tool_choice: { type: 'function', function: { name: 'look' } },
	};
	expect(send({ messages, ...request })).toEqual({
		model: 'm',
		input: [
			{ role: 'system', content: 'Be brief.' },
			{
				role: 'user',
				content: [
					{ type: 'input_text', text: 'What is this?' },
					{ type: 'input_image', image_url: URL, detail: 'low' },
					{ type: 'new', x: 1 },
				],
			},
			{ role: 'assistant', content: [{ type: 'output_text', text: 'I look.' }] },
			{ type: 'function_call', call_id: 'c1', name: 'look', arguments: '{}' },
			{ type: 'function_call_output', call_id: 'c1', output: 'a cat' },
		],
		max_output_tokens: 10,
		reasoning: { effort: 'low' },
		temperature: 0,
		user: 'u',
		text: { format: { type: 'json_schema', name: 'answer', schema: {} } },
		tools: [{ type: 'function', strict: false, name: 'look', parameters: {} }],
		tool_choice: { type: 'function', name: 'look' },
	});
});

it('leaves out what was not set, and keeps what has no object of its own', () => {
	const least = { model: 'm', input: [{ role: 'user', content: 'x' }] };
	expect(send({})).toEqual(least);
	const format = { type: 'json_object' };
	expect(send({ tool_choice: 'required', response_format: format })).toEqual({
		...least,
		tool_choice: 'required',
		text: { format },
	});
});

it('what a field sets is put beside what its object has of other fields', () => {
	const more = { reasoning: { summary: 'auto' }, text: { verbosity: 'low' } };
	expect(send({ reasoning_effort: 'low', reasoning: 'x' })).toMatchObject({
		reasoning: { effort: 'low' },
	});
	const format = { type: 'json_object' };
	expect(send({ reasoning_effort: 'low', response_format: format, ...more })).toMatchObject({
		reasoning: { summary: 'auto', effort: 'low' },
		text: { verbosity: 'low', format },
	});
});

it('leaves out an empty answer, which an AI agent may have kept in its memory', () => {
	const question = { role: 'user' as const, content: 'x' };
	const messages = [question, { role: 'assistant' as const, content: '' }, question];
	expect(send({ messages }).input).toEqual([question, question]);
});
