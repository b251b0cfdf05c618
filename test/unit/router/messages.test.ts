import {
	addAttachments,
	checkInputs,
	checkMessages,
	checkUrl,
	findModalities,
	markSystemMessage,
	modalityNames,
	modalityOf,
	modalityOfUrl,
	roles,
	toResponseItems,
	type Attachment,
	type ChatMessage,
	type Modality,
} from '../../../src/router/messages';
import fc from '../../support/fastCheck';

const HI = { role: 'user', content: 'Hi' };
const CALL = { id: 'c', type: 'function', function: { name: 'f', arguments: '{}' } };
const CALLED = { type: 'function_call', call_id: 'c', name: 'f', arguments: '{}' };
const PARTS = [
	{ type: 'text', text: 'a' },
	{ type: 'image_url', image_url: { url: 'x' } },
];
const RESULT = { role: 'tool', content: 'sunny', tool_call_id: 'c' };
const calling = (content?: unknown, ...more: unknown[]) => ({
	role: 'assistant',
	content,
	tool_calls: [CALL, ...more],
});
const output = (text: string) => ({ type: 'function_call_output', call_id: 'c', output: text });

/** As the items of the responses protocol; by default the same. */
it.each<[string, unknown[], unknown[]?]>([
	['a text', [HI]],
	['parts', [{ role: 'user', content: PARTS }]],
	['fields that nobody names', [{ ...HI, id: 'm', type: 'message', cache_control: { a: 1 } }]],
	['a call', [calling(null)], [CALLED]],
	[
		'calls behind a text',
		[{ ...calling('a', { ...CALL, id: 'd' }), name: 'x' }],
		[{ role: 'assistant', content: 'a', name: 'x' }, CALLED, { ...CALLED, call_id: 'd' }],
	],
	['a call of the first form', [{ role: 'assistant', content: null, function_call: {} }], []],
	['reasoning alone', [{ role: 'assistant', content: '', reasoning_content: 'x' }], []],
	['the result of such a call', [{ role: 'function', name: 'f', content: 'sunny' }]],
	[
		'the answer of a response',
		[
			{
				...calling('a'),
				output: [
					{ type: 'reasoning', id: 'r' },
					{ ...CALLED, id: 'i' },
				],
			},
		],
		[
			{ type: 'reasoning', id: 'r' },
			{ ...CALLED, id: 'i' },
		],
	],
	['odd calls', [calling('a', null, 'x')], [{ role: 'assistant', content: 'a' }, CALLED]],
	['a result', [RESULT], [output('sunny')]],
	['an empty result', [{ ...RESULT, content: '' }], [output('')]],
	['a result with parts', [{ ...RESULT, content: PARTS }], [output(JSON.stringify(PARTS))]],
])('%s may be sent, in both protocols', (_name, messages, items = messages) => {
	expect(checkMessages(messages, 'Messages')).toEqual(messages);
	expect((messages as ChatMessage[]).flatMap(toResponseItems)).toEqual(items);
});

it('items of the responses protocol that are no messages stay as they are', () => {
	const items = [{ type: 'reasoning', summary: [] }, CALLED, HI, { type: 'x', id: 'i' }];
	expect(checkMessages(items, 'Messages', true).flatMap(toResponseItems)).toEqual(items);
});

const ONE_OF =
	'Messages 1: role must be one of: system, developer, user, assistant, tool, function';
const NO_OBJECT = 'Messages 1 must be an object with "role" and "content"';
const EMPTY = 'Messages 1: Content is empty';
const NO_ID = 'Messages 1: Tool Call ID is empty';
const user = (content: unknown) => ({ role: 'user', content });

it.each([
	['nothing', [], 'Messages is empty', 'Add at least one message.'],
	['a text', ['Hi'], NO_OBJECT],
	['no role', [{ content: 'a' }], ONE_OF, 'It is missing.'],
	['another role', [{ role: 'bot', content: 'a' }], ONE_OF, 'It is "bot".'],
	['a role of JavaScript', [{ role: 'toString', content: 'a' }], ONE_OF],
	['no content', [{ role: 'user' }], EMPTY],
	['an empty text', [HI, user('')], 'Messages 2: Content is empty'],
	['an empty text in an item that has a type', [{ ...user(''), type: 'message' }], EMPTY],
	['blanks', [user(' \n')], EMPTY],
	['no parts', [user([])], EMPTY],
	['a text among parts', [user([PARTS[0], 'a'])], EMPTY],
	['no calls', [{ role: 'assistant', content: null, tool_calls: [] }], EMPTY],
	['a result without content', [{ ...RESULT, content: null }], EMPTY],
	['a result of nothing', [{ role: 'tool', content: 'a' }], NO_ID],
])('%s is refused, by its place', (_name, messages, message, ...[advice]) => {
	const details = expect.objectContaining(advice === undefined ? {} : { advice });
	const refused = expect.objectContaining({ kind: 'invalid', message, details });
	for (const mayBeItems of [false, true])
		expect(() => checkMessages(messages, 'Messages', mayBeItems)).toThrow(refused);
});

it('refuses with words, whatever an expression may give', () => {
	const value = fc.jsonValue();
	const role = fc.constantFrom(...roles);
	const odd = fc.oneof(value, fc.record({ role, content: value, tool_calls: value }));
	fc.assert(
		fc.property(fc.array(odd), fc.boolean(), (messages, mayBeItems) => {
			try {
				checkMessages(messages, 'Messages', mayBeItems).flatMap(toResponseItems);
			} catch (error) {
				const message = expect.stringMatching(/^Messages/);
				expect(error).toMatchObject({ kind: 'invalid', message });
			}
		}),
	);
});

it('an input and a part that are no words are none', () => {
	const content = [{ type: { toString: 1 } }, { type: 'image_url' }];
	const wanted = findModalities([{ role: 'user', content }]);
	expect(wanted).toEqual(['image']);
	const inputs = [{ toString: 1 }, 'text'] as string[];
	expect(() => checkInputs({ id: 'm', input_modalities: inputs }, wanted)).toThrow(
		expect.objectContaining({ message: 'The model m does not take images' }),
	);
});

it.each([
	['IMAGE/PNG', 'image'],
	['audio/mpeg', 'audio'],
	['video/mp4', 'video'],
	['text/plain', 'file'],
	['imagery/png', 'file'],
])('the media type "%s" is of the modality %s', (type, modality) => {
	expect(modalityOf(type)).toBe(modality);
});

it.each([
	['https://host/a.png', 'image'],
	['https://host/', 'image'],
	['https://host/a.MP3', 'audio'],
	['https://host/a.wav?token=b.pdf', 'audio'],
	['https://host/a.mp4#t=1', 'video'],
	['https://host/a.mpg', 'video'],
	['https://host/a.pdf', 'file'],
	['https://host/a.mp3/b', 'image'],
	['https://host/a?file=b.pdf', 'image'],
	['DATA:Video/mp4;base64,AAAA', 'video'],
	['data:application/pdf;base64,AAAA', 'file'],
])('the address %s leads to the modality %s', (address, modality) => {
	expect(modalityOfUrl(address)).toBe(modality);
});

it.each(['https://host/a.png', ' HTTP://host \n', 'data:image/png;base64,AAAA', 'data:,a'])(
	'the address %j can be read',
	(address) => {
		expect(checkUrl(address, 'URL')).toBe(address.trim());
	},
);

it.each(
	', ,host/a.png,//host/a.png,ftp://host/a.png,https://,https:///a,xhttps://host,data:image/png'
		.split(',')
		.concat('data: a,b'),
)('the address %j is refused', (address) => {
	expect(() => checkUrl(address, 'URL')).toThrow(
		expect.objectContaining({
			kind: 'invalid',
			message: 'URL must begin with https:// or data:',
			details: { advice: 'The service reads it from there.' },
		}),
	);
});

const PICTURE: Attachment = { modality: 'image', url: 'https://host/a.png' };
const PART = { type: 'image_url', image_url: { url: 'https://host/a.png' } };
const asks = (content: ChatMessage['content']): ChatMessage => ({
	role: 'user',
	...(content !== undefined && { content }),
});
const answers: ChatMessage = { role: 'assistant', content: 'b' };
const text = (said: string) => ({ type: 'text', text: said });

it.each([
	['parts', [asks([text('a'), text('b')])], [asks([text('a'), text('b'), PART])]],
	[
		'the last of the user',
		[asks('a'), asks('c'), answers],
		[asks('a'), asks([text('c'), PART]), answers],
	],
	['nobody', [answers], [answers, asks([PART])]],
	['no text', [asks(null)], [asks([PART])]],
	[
		'fields that nobody names',
		[{ ...asks('a'), name: 'x' }],
		[{ ...asks([text('a'), PART]), name: 'x' }],
	],
])('files go behind %s', (_name, messages, expected) => {
	const before = structuredClone(messages);
	expect(addAttachments(messages, [PICTURE])).toEqual(expected);
	expect(messages).toEqual(before);
});

it('no file is lost or out of order, and no message changes but one', () => {
	const modality = fc.constantFrom(...(Object.keys(modalityNames) as Modality[]));
	const anAttachment = fc.record({ modality, url: fc.webUrl() });
	const aMessage = fc.constantFrom(asks('a'), answers, asks([text('b')]));
	const partOf = (one: Attachment) => (addAttachments([], [one])[0]?.content as object[])[0];
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

const MARK = { cache_control: { type: 'ephemeral' } };
const system = (content: unknown, role = 'system') => ({ role, content }) as ChatMessage;
const hi = HI as ChatMessage;
const [first, second] = PARTS;

it.each([
	['a text', [system('a'), hi], [system([{ type: 'text', text: 'a', ...MARK }]), hi]],
	['the last part', [system(PARTS), hi], [system([first, { ...second, ...MARK }]), hi]],
	[
		'the last of several at the beginning',
		[system('a'), system('b', 'developer'), hi, system('c')],
		[system('a'), system([{ type: 'text', text: 'b', ...MARK }], 'developer'), hi, system('c')],
	],
	['system messages alone', [system('a')], [system([{ type: 'text', text: 'a', ...MARK }])]],
	['an empty text', [system(''), hi], [system(''), hi]],
	['one that comes later', [hi, system('a')], [hi, system('a')]],
	['items without a role', [{ type: 'reasoning' } as never], [{ type: 'reasoning' } as never]],
])('the mark for the cache: %s', (_what, messages, expected) => {
	const given = structuredClone(messages);
	expect(markSystemMessage(messages)).toEqual(expected);
	expect(messages).toEqual(given);
});
