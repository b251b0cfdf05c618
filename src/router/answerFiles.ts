import { ServiceError } from '../core/errors';
import { isPlainObject, type JsonObject } from '../core/json';
import { readDataUrl } from './fileTokens';
import { type AnswerFile, stringOrEmpty } from './textAnswer';

/** What stands in the message in place of a file: where that is in the output. */
const REFERENCE = /^files\[\d+\]$/;

/**
 * Takes the files out of a message of chat completions, which would be megabytes of text. What is behind an address stays there.
 *
 * @param files Gets what is found.
 * @returns the message with a reference in place of each.
 * @see https://openrouter.ai/docs/features/multimodal/image-generation (Vercel AI Gateway and LiteLLM have the same form)
 * @see https://platform.openai.com/docs/api-reference/chat/object (`audio`)
 */
export function takeFiles(message: JsonObject, files: AnswerFile[]): JsonObject {
	const { images, audio } = message;
	const take = (file: AnswerFile) => `files[${files.push(file) - 1}]`;
	const takePicture = (entry: unknown) => {
		const url = urlOf(entry);
		const found = readDataUrl(url);
		if (!found || !isPlainObject(entry)) return entry;
		const file = { family: 'image' as const, mimeType: found.type, base64: found.base64 };
		return { ...entry, image_url: { ...addressOf(entry), url: take(file) } };
	};
	const taken = { ...message };
	if (Array.isArray(images)) taken['images'] = images.map(takePicture);
	if (isPlainObject(audio) && typeof audio['data'] === 'string' && audio['data']) {
		const file = { family: 'audio' as const, mimeType: '', base64: audio['data'] };
		taken['audio'] = { ...audio, data: take(file) };
	}
	return taken;
}

/**
 * A message as it is given back to its model: of a sound its ID, and no picture whose file was taken. Everything else is as it came.
 *
 * @see https://platform.openai.com/docs/guides/audio (multi-turn conversations)
 */
export function withoutFiles(message: JsonObject): JsonObject {
	const { images, audio } = message;
	const isTaken = (entry: unknown) => REFERENCE.test(urlOf(entry));
	const given = { ...message };
	if (Array.isArray(images) && images.some(isTaken))
		given['images'] = images.filter((entry) => !isTaken(entry));
	if (isPlainObject(audio) && REFERENCE.test(stringOrEmpty(audio['data'])))
		given['audio'] = { id: audio['id'] };
	return given;
}

/** The message of the first choice, as it is given back. @param completion Of an answer. */
export const readMessage = (completion: JsonObject): unknown[] =>
	[completion['choices']]
		.flat()
		.slice(0, 1)
		.map((choice) => withoutFiles(Object(Object(choice).message) as JsonObject));

const addressOf = (entry: unknown) =>
	Object((Object(entry) as JsonObject)['image_url']) as JsonObject;

const urlOf = (entry: unknown): string => stringOrEmpty(addressOf(entry)['url']);

/** What a message says in its sound. Empty if it has none. */
export const transcriptOf = (audio: unknown): string =>
	stringOrEmpty((Object(audio) as JsonObject)['transcript']);

/**
 * The bytes of a file. Sound without a header, which is what services stream, gets one, or no program could play it.
 *
 * @param soundFormat As the request asks for it. Of "wav" some services leave out the header.
 * @throws ServiceError `malformed` for more pieces than a sound has: each takes as long as a thousand bytes.
 * @see https://platform.openai.com/docs/guides/realtime-conversations (pcm16: 16 bits, 24 kHz, one channel)
 */
export function decodeFile({ family, base64 }: AnswerFile, soundFormat: unknown): Buffer {
	const bytes = joinPieces(base64);
	const mayBeRaw = family === 'audio' && /^(pcm|wav)/.test(String(soundFormat));
	return mayBeRaw && bytes.toString('latin1', 0, 4) !== 'RIFF' ? toWave(bytes) : bytes;
}

/** One every 10 milliseconds, in the longest answer. `==` counts as two. */
const MAX_PIECES = 100_000;

/** Each piece may end with its own padding. */
function joinPieces(base64: string): Buffer {
	const bytes = Buffer.allocUnsafe(base64.length);
	let size = 0;
	let pieces = 0;
	for (let at = 0; at < base64.length; ) {
		if (++pieces > MAX_PIECES)
			throw new ServiceError('malformed', `The file is in more than ${MAX_PIECES} pieces`);
		const padding = base64.indexOf('=', at);
		const end = padding < 0 ? base64.length : padding;
		size += bytes.write(base64.slice(at, end), size, 'base64');
		at = end + 1;
	}
	return bytes.subarray(0, size);
}

const SAMPLE_RATE = 24_000;
const SAMPLE_BYTES = 2;

function toWave(samples: Buffer): Buffer {
	const header = Buffer.alloc(44);
	header.write('RIFF', 0);
	header.writeUInt32LE(36 + samples.length, 4);
	header.write('WAVEfmt ', 8);
	header.writeUInt32LE(16, 16);
	header.writeUInt16LE(1, 20);
	header.writeUInt16LE(1, 22);
	header.writeUInt32LE(SAMPLE_RATE, 24);
	header.writeUInt32LE(SAMPLE_RATE * SAMPLE_BYTES, 28);
	header.writeUInt16LE(SAMPLE_BYTES, 32);
	header.writeUInt16LE(SAMPLE_BYTES * 8, 34);
	header.write('data', 36);
	header.writeUInt32LE(samples.length, 40);
	return Buffer.concat([header, samples]);
}
