import { storeFiles } from '../../../nodes/ModelRouter/text/answerFiles';
import { cancelledError } from '../../../src/core/errors';
import { decodeFile, takeFiles, withoutFiles } from '../../../src/router/answerFiles';
import { createChatAccumulator } from '../../../src/router/chatCompletions';
import type { AnswerFile } from '../../../src/router/textAnswer';
import { thrownBy } from '../inMemoryHttp';
import { virtualClock } from '../virtualClock';

const picture = (url: unknown, index = 0) => ({ index, type: 'image_url', image_url: { url } });
const sound = (base64: string): AnswerFile => ({ family: 'audio', mimeType: '', base64 });

it('takes what is in the answer, and leaves addresses and what it cannot read', () => {
	const files: AnswerFile[] = [];
	const images = [
		picture('data:image/png;base64,AAAA'),
		picture('https://pictures.example/a.png'),
		picture('data:image/svg+xml,<svg/>'),
		{ type: 'image_url' },
		'data:image/png;base64,AAAA',
		null,
	];
	const audio = { id: 'a', data: 'BBBB', transcript: 'Hello' };
	expect(takeFiles({ content: 'x', images, audio }, files)).toEqual({
		content: 'x',
		images: [picture('files[0]'), ...images.slice(1)],
		audio: { ...audio, data: 'files[1]' },
	});
	expect(files).toEqual([
		{ family: 'image', mimeType: 'image/png', base64: 'AAAA' },
		{ family: 'audio', mimeType: '', base64: 'BBBB' },
	]);
});

it.each([
	[
		{ images: [], audio: null, new: 1 },
		{ images: [], audio: null, new: 1 },
	],
	[
		{
			images: [picture('https://a.example'), picture('files[0]')],
			audio: { id: 'a', data: 'files[1]' },
		},
		{ images: [picture('https://a.example')], audio: { id: 'a' } },
	],
])('what is given back has no reference to a file: %j', (message, expected) => {
	expect(withoutFiles(message)).toEqual(expected);
});

it('a picture whose index comes twice is not added to itself', () => {
	const accumulator = createChatAccumulator('a/b', 1);
	const images = [picture('data:image/png;base64,AAAA')];
	for (let time = 0; time < 2; time++)
		accumulator.add({ choices: [{ index: 0, delta: { images: structuredClone(images) } }] });
	expect(accumulator.answer().attached).toMatchObject([{ base64: 'AAAA' }]);
});

it.each([
	['pcm16', Buffer.from([1, 0, 2, 0]), 48],
	// Qwen leaves the header out
	['wav', Buffer.from([1, 0, 2, 0]), 48],
	['wav', Buffer.from('RIFF0000WAVEfmt '), 16],
	['mp3', Buffer.from([0xff, 0xfb, 0, 0]), 4],
])('sound of format %s has a header (%#)', (format, bytes, length) => {
	const decoded = decodeFile(sound(bytes.toString('base64')), format);
	expect(decoded).toHaveLength(length);
	expect(decoded.subarray(-bytes.length)).toEqual(bytes);
});

it('pieces that were encoded each by itself are one sound', () => {
	const pieces = [[1], [2, 3], [4, 5, 6], [7]].map((piece) =>
		Buffer.from(piece).toString('base64'),
	);
	expect([...decodeFile(sound(pieces.join('')), 'mp3')]).toEqual([1, 2, 3, 4, 5, 6, 7]);
});

it('however many pieces a sound has, they are decoded into one buffer', () => {
	const created = jest.spyOn(Buffer, 'from');
	expect(decodeFile(sound('AQ=='.repeat(50_000)), 'mp3')).toEqual(Buffer.alloc(50_000, 1));
	expect(created).not.toHaveBeenCalled();
	created.mockRestore();
	for (const base64 of ['A='.repeat(200_000), '='.repeat(200_000)]) {
		const { kind, message } = thrownBy(() => decodeFile(sound(base64), 'mp3'));
		expect([kind, message]).toEqual(['malformed', 'The file is in more than 100000 pieces']);
	}
});

describe('the files of an answer', () => {
	const picture: AnswerFile = { family: 'image', mimeType: 'image/png', base64: 'AAAA' };
	const pictures = Array.from({ length: 250 }, () => picture);
	const store = () => {
		const stored: string[] = [];
		const storeFile = async (_response: unknown, { baseName: fileName }: { baseName: string }) => {
			stored.push(fileName);
			const file = { fileName, mimeType: 'image/png', bytes: 3 };
			return { file, binary: { data: '', mimeType: 'image/png' } };
		};
		return { stored, storeFile };
	};

	it('are stored up to the hundredth, and the others stay in the JSON', async () => {
		const { stored, storeFile } = store();
		const context = { storeFile, clock: virtualClock() };
		const { files, binary } = await storeFiles(context, pictures, undefined);
		expect([stored.length, Object.keys(binary).length, files.length]).toEqual([100, 100, 250]);
		expect(files[99]).toMatchObject({ binaryProperty: 'data_99', fileName: 'image-100' });
		expect(files[100]).toEqual({
			notStored: 'An answer may have at most 100 files',
			mimeType: 'image/png',
			base64: 'AAAA',
		});
	});

	it('are not stored any more after Stop', async () => {
		const { stored, storeFile } = store();
		const clock = virtualClock();
		const sleep = async (milliseconds: number) => {
			if (stored.length === 2) throw cancelledError(false);
			await clock.sleep(milliseconds);
		};
		const context = { storeFile, clock: { ...clock, sleep } };
		const { files } = await storeFiles(context, pictures.slice(0, 9), undefined);
		expect(stored).toEqual(['image-1', 'image-2']);
		expect(files[2]).toMatchObject({ notStored: 'The execution was stopped', base64: 'AAAA' });
		expect(files).toHaveLength(9);
	});
});
