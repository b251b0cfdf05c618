import { toResponseBody } from '../../../src/router/protocols';
import {
	addAttachments,
	checkUrl,
	modalities,
	modalityOf,
	modalityOfUrl,
	type Attachment,
	type Modality,
	type ChatMessage,
} from '../../../src/router/messages';
import fc from '../../support/fastCheck';

it.each<[string, Modality]>([
	['image/png', 'image'],
	['IMAGE/PNG', 'image'],
	['audio/mpeg', 'audio'],
	['video/mp4', 'video'],
	['application/pdf', 'file'],
	['text/plain', 'file'],
	['imagery/png', 'file'],
	['', 'file'],
])('the media type "%s" is of the modality %s', (type, modality) => {
	expect(modalityOf(type)).toBe(modality);
});

it.each<[string, Modality]>([
	['https://host/a.png', 'image'],
	['https://host/a', 'image'],
	['https://host/', 'image'],
	['https://host/a.MP3', 'audio'],
	['https://host/a.wav?token=b.pdf', 'audio'],
	['https://host/a.mp4#t=1', 'video'],
	['https://host/a.mpg', 'video'],
	['https://host/a.mpeg', 'video'],
	['https://host/a.pdf', 'file'],
	['https://host/a.docx', 'file'],
	['https://host/pdf', 'image'],
	['https://host/a.mp3/b', 'image'],
	['https://host/a?file=b.pdf', 'image'],
	['data:image/png;base64,AAAA', 'image'],
	['data:audio/wav;base64,AAAA', 'audio'],
	['DATA:Video/mp4;base64,AAAA', 'video'],
	['data:application/pdf;base64,AAAA', 'file'],
	['data:,hello', 'file'],
	['data:;base64,AAAA', 'file'],
])('the address %s leads to the modality %s', (address, modality) => {
	expect(modalityOfUrl(address)).toBe(modality);
});

it.each([
	['https://host/a.png', 'https://host/a.png'],
	[' HTTP://host \n', 'HTTP://host'],
	['data:image/png;base64,AAAA', 'data:image/png;base64,AAAA'],
	['data:,a', 'data:,a'],
])('the address %j can be read', (address, given) => {
	expect(checkUrl(address, 'URL')).toBe(given);
});

it.each([
	[''],
	[' '],
	['host/a.png'],
	['//host/a.png'],
	['ftp://host/a.png'],
	['file:///etc/passwd'],
	['https://'],
	['https:///a'],
	['xhttps://host'],
	['data:image/png'],
	['data: a,b'],
])('the address %j is refused', (address) => {
	expect(() => checkUrl(address, 'URL')).toThrow(
		expect.objectContaining({
			kind: 'invalid',
			message: 'URL must begin with https:// or data:',
			details: { advice: 'The service reads it from there.' },
		}),
	);
});

const URL = 'https://host/path/a.bin?b=c/d.e#f/g';
const DATA = 'data:application/pdf;base64,AA/BB';
const file = (mimeType: string) => ({ base64: 'AAAA', mimeType, fileName: 'a.bin' });
/** How an attachment is sent. */
function partOf(attachment: Attachment): object {
	const [message] = addAttachments([], [attachment]);
	return (message?.content as object[])[0]!;
}
const inline = (mimeType: string) => `data:${mimeType};base64,AAAA`;

it.each<[string, Attachment, object, object]>([
	[
		'an image by its address',
		{ modality: 'image', url: URL },
		{ type: 'image_url', image_url: { url: URL } },
		{ type: 'input_image', image_url: URL },
	],
	[
		'an image',
		{ modality: 'image', ...file('image/png') },
		{ type: 'image_url', image_url: { url: inline('image/png') } },
		{ type: 'input_image', image_url: inline('image/png') },
	],
	[
		'a video by its address',
		{ modality: 'video', url: URL },
		{ type: 'video_url', video_url: { url: URL } },
		{ type: 'input_video', video_url: URL },
	],
	[
		'a video',
		{ modality: 'video', ...file('video/mp4') },
		{ type: 'video_url', video_url: { url: inline('video/mp4') } },
		{ type: 'input_video', video_url: inline('video/mp4') },
	],
	[
		'sound by its address',
		{ modality: 'audio', url: URL },
		{ type: 'audio_url', audio_url: { url: URL } },
		{ type: 'input_audio', audio_url: URL },
	],
	[
		'sound',
		{ modality: 'audio', ...file('audio/mpeg') },
		{ type: 'input_audio', input_audio: { data: 'AAAA', format: 'mp3' } },
		{ type: 'input_audio', input_audio: { data: 'AAAA', format: 'mp3' } },
	],
	[
		'a file by its address',
		{ modality: 'file', url: URL },
		{ type: 'file', file: { filename: 'a.bin', file_data: URL } },
		{ type: 'input_file', file_url: URL },
	],
	[
		'a file by an address without a name',
		{ modality: 'file', url: 'https://host/' },
		{ type: 'file', file: { filename: 'file', file_data: 'https://host/' } },
		{ type: 'input_file', file_url: 'https://host/' },
	],
	[
		'a file',
		{ modality: 'file', ...file('application/pdf') },
		{ type: 'file', file: { filename: 'a.bin', file_data: inline('application/pdf') } },
		{ type: 'input_file', filename: 'a.bin', file_data: inline('application/pdf') },
	],
	[
		'a file that is in its address',
		{ modality: 'file', url: DATA },
		{ type: 'file', file: { filename: 'file', file_data: DATA } },
		{ type: 'input_file', filename: 'file', file_data: DATA },
	],
])('%s in both protocols', (_name, attachment, chat, input) => {
	expect(partOf(attachment)).toEqual(chat);
	const { input: items } = toResponseBody({
		model: 'm',
		messages: addAttachments([], [attachment]),
	});
	expect(items).toEqual([{ role: 'user', content: [input] }]);
});

it.each([
	['audio/mpeg', 'mp3'],
	['audio/mp3', 'mp3'],
	['audio/wav', 'wav'],
	['audio/x-wav', 'wav'],
	['audio/wave', 'wav'],
	['audio/vnd.wave', 'wav'],
	['AUDIO/FLAC', 'flac'],
	['audio/x-m4a', 'm4a'],
	['audio/ogg; codecs=opus', 'ogg'],
	['video/webm', 'webm'],
])('sound of the type %s has the format %s', (mimeType, format) => {
	expect(partOf({ modality: 'audio', ...file(mimeType) })).toEqual({
		type: 'input_audio',
		input_audio: { data: 'AAAA', format },
	});
});

const PICTURE: Attachment = { modality: 'image', url: 'https://host/a.png' };
const PART = partOf(PICTURE);
const user = (content: ChatMessage['content']): ChatMessage => ({
	role: 'user',
	content: content ?? null,
});
const assistant: ChatMessage = { role: 'assistant', content: 'b' };
const text = (said: string) => ({ type: 'text', text: said });

it.each<[string, ChatMessage[], ChatMessage[]]>([
	['a text', [user('a')], [user([text('a'), PART])]],
	['parts', [user([text('a'), text('b')])], [user([text('a'), text('b'), PART])]],
	[
		'the last of the user',
		[user('a'), assistant, user('c'), assistant],
		[user('a'), assistant, user([text('c'), PART]), assistant],
	],
	['nobody', [assistant], [assistant, user([PART])]],
	['nothing', [], [user([PART])]],
	['no text', [user(null)], [user([PART])]],
	[
		'fields that nobody names',
		[{ ...user('a'), name: 'x' }],
		[{ ...user([text('a'), PART]), name: 'x' }],
	],
])('files go behind %s', (_name, messages, expected) => {
	const before = structuredClone(messages);
	expect(addAttachments(messages, [PICTURE])).toEqual(expected);
	expect(messages).toEqual(before);
});

it('no file is lost or out of order, and no message changes but one', () => {
	const anAttachment = fc.record({ modality: fc.constantFrom(...modalities), url: fc.webUrl() });
	const aMessage = fc.constantFrom(user('a'), assistant, user([text('b')]));
	fc.assert(
		fc.property(fc.array(aMessage), fc.array(anAttachment), (messages, attachments) => {
			const attached = addAttachments(messages, attachments);
			const changed = attached.filter((message, index) => message !== messages[index]);
			expect(changed).toHaveLength(attachments.length ? 1 : 0);
			const parts = changed.flatMap(({ content }) => (Array.isArray(content) ? content : []));
			expect(parts.slice(parts.length - attachments.length)).toEqual(attachments.map(partOf));
		}),
	);
});
