import { isPlainObject, type JsonObject } from '../core/json';
import { stringOrEmpty } from './textAnswer';

/*
 * How many tokens a file can have that is in a request itself. What is behind an address may be anything.
 */

/** Where a part of a message has its file: in which object, if it is not the part itself, and in which field. */
const FILE_PLACES: Record<string, { within?: string; field: string }> = {
	image_url: { within: 'image_url', field: 'url' },
	input_image: { field: 'image_url' },
	file: { within: 'file', field: 'file_data' },
	input_file: { field: 'file_data' },
	audio_url: { within: 'audio_url', field: 'url' },
	input_audio: { within: 'input_audio', field: 'data' },
};
/** Other fields there. One that is not known may name another file. */
const OTHER_FIELDS = ['type', 'cache_control', 'detail', 'filename', 'format'];

/**
 * The most tokens that a part of a message can have whose file is in it.
 *
 * A file that has not been read yet counts with the least that one of its type can have: it is counted again before it is sent.
 *
 * @returns undefined if it has no file, one behind an address, or one of which no limit is known.
 */
export function maximumFileTokens(part: JsonObject): number | undefined {
	const place = FILE_PLACES[stringOrEmpty(part['type'])];
	if (!place) return undefined;
	const { within, field } = place;
	const { [within ?? field]: inner, ...around } = part;
	const holder = within === undefined ? part : inner;
	if (!isPlainObject(holder)) return undefined;
	const { [field]: content, ...others } = holder;
	const isKnown = Object.keys({ ...others, ...around }).every((name) =>
		OTHER_FIELDS.includes(name),
	);
	if (!isKnown || typeof content !== 'string') return undefined;
	const file =
		part['type'] === 'input_audio'
			? { type: `audio/${stringOrEmpty(others['format'])}`, base64: content }
			: readDataUrl(content);
	const tokens = file && countTokens(file.type.toLowerCase(), file.base64);
	return tokens === undefined
		? undefined
		: tokens + Buffer.byteLength(JSON.stringify([others, around]));
}

/** The type and the Base64 of an address that is the file itself; undefined for another one. */
export function readDataUrl(address: string) {
	const [start, type] = /^data:([^;,]*)(?:;[^;,]*)*;base64,/i.exec(address.slice(0, 200)) ?? [];
	return start === undefined || type === undefined
		? undefined
		: { type, base64: address.slice(start.length) };
}

/** What the vendors' pages list. */
const PICTURE = /^image\/(png|jpe?g|gif|webp|heic|heif)$/;
/**
 * The most tokens that a vendor counts for one picture. However large it is, it is scaled down first. That is GPT-4o mini, whose pictures
 * have 2,833 tokens and 5,667 for each of at most eight tiles. Others have less: 16,384 at Qwen, 12,000 at OpenAI's later models, 6,404 at
 * Together, 4,784 at Anthropic, 2,240 at Google. A few bytes may be a very large picture, so its bytes say nothing.
 *
 * @see https://platform.openai.com/docs/guides/images-vision#calculating-costs
 * @see https://platform.claude.com/docs/en/build-with-claude/vision
 * @see https://ai.google.dev/gemini-api/docs/media-resolution
 * @see https://huggingface.co/Qwen/Qwen2-VL-7B-Instruct
 * @see https://docs.together.ai/docs/vision-overview
 */
export const PICTURE_TOKENS = 2833 + 8 * 5667;

const TEXT = /^(text\/[\w.+-]+|application\/([\w.+-]+\+)?(json|xml|yaml|x-yaml|x-ndjson))$/;
/** Tokens per character of Base64: a token is at least a byte, and two bytes of UTF-16 become at most three. */
const TEXT_TOKENS = 2;

/** The most that a vendor counts per second of sound. @see https://ai.google.dev/gemini-api/docs/audio */
const SOUND_TOKENS = 32;
/** The fewest bytes per second: of MP3 the lowest bit rate (ISO/IEC 13818-3), of WAV what its header says. */
const MP3_BYTES = 1000;
const WAV_BYTES = 8000;

function countTokens(type: string, base64: string): number | undefined {
	if (PICTURE.test(type)) return PICTURE_TOKENS;
	if (TEXT.test(type)) return TEXT_TOKENS * base64.length;
	if (!base64) return type.startsWith('audio/') || type.endsWith('/octet-stream') ? 0 : undefined;
	const bytesPerSecond = readSoundRate(type, Buffer.from(base64.slice(0, 64), 'base64'));
	return bytesPerSecond && Math.ceil(base64.length / bytesPerSecond) * SOUND_TOKENS;
}

/** Bytes per second at least; undefined for another format, whatever its type says, and for a WAV with less or not plain. */
function readSoundRate(type: string, head: Buffer): number | undefined {
	const isFrame = head[0] === 0xff && ((head[1] ?? 0) & 0xe6) === 0xe2;
	const isMp3 = isFrame || head.toString('latin1', 0, 3) === 'ID3';
	if (/^audio\/(mp3|mpeg)$/.test(type)) return isMp3 ? MP3_BYTES : undefined;
	if (!/^audio\/(x-|vnd\.)?wave?$/.test(type) || head.length < 36) return undefined;
	const isPlain = head.toString('latin1', 0, 4) === 'RIFF' && head.readUInt16LE(20) === 1;
	const isFirst = head.toString('latin1', 8, 16) === 'WAVEfmt ';
	const rate = head.readUInt32LE(24) * head.readUInt16LE(32);
	return isPlain && isFirst && rate >= WAV_BYTES ? WAV_BYTES : undefined;
}
