import { decodeExtended, parse } from 'content-disposition';
import { filetypeinfo } from 'magic-bytes.js';
import sanitize from 'sanitize-filename';

import { cutText } from './errors';

/** Bytes at the beginning of a file that are enough to detect its type. */
export const SNIFF_LENGTH = 4096;

/** Containers whose first bytes do not distinguish audio from video. The header or the kind of the job decides. */
const CONTAINER_SUBTYPES: Record<string, string> = {
	mp4: 'mp4',
	mkv: 'webm',
	webm: 'webm',
	ogx: 'ogg',
	ogg: 'ogg',
};
const EXTENSIONS: Record<string, string> = {
	'application/octet-stream': 'bin',
	'audio/mp4': 'm4a',
	'audio/mpeg': 'mp3',
	'image/jpeg': 'jpg',
	'image/svg+xml': 'svg',
	'video/quicktime': 'mov',
};

/**
 * Detects the type of a media file from its first bytes. The service's header is only used when they are not enough.
 *
 * @param header The `Content-Type` header.
 * @param family The kind of output of the job.
 * @returns the type with its extension, without a dot; undefined for something that is not a media file: a web page, JSON or plain text, usually an error page.
 */
export function detectFileType(
	start: Uint8Array,
	header: string | undefined,
	family: 'image' | 'video' | 'audio',
) {
	const declared = header?.split(';')[0]?.trim().toLowerCase() ?? '';
	const text = new TextDecoder().decode(start);
	// an SVG may begin with an XML declaration, as may an error page of a file store
	if (SVG_START.test(text)) return toFileType('image/svg+xml');
	// some types are detected by a single letter: "Gateway Timeout" would be a video
	const looksLikePage = /^\s*[<{[]/.test(text);
	if (isPlainText(start)) return undefined;
	if (isRawSound(declared, text)) return toFileType(declared);
	if (looksLikePage) return undefined;
	const guesses = filetypeinfo(start);
	// the library reports a text for UTF-16, and for a rare audio format
	const isText = ({ mime = '' }) => mime.startsWith('text/');
	const { mime, extension } = guesses.find((guess) => guess.extension && !isText(guess)) ?? {};
	const container = extension && CONTAINER_SUBTYPES[extension];
	if (container) return toContainer(declared, family, container);
	if (mime) return toFileType(mime.replace('audio/x-wav', 'audio/wav'), extension);
	if (/html|json|xml/.test(declared)) return undefined;
	if (/^(image|audio|video)\/[\w.+-]+$/.test(declared)) return toFileType(declared);
	return guesses.some(isText) ? undefined : toFileType('application/octet-stream');
}

function toContainer(declared: string, family: string, container: string) {
	const isPrecise = /^(audio|video)\/(mp4|webm|ogg|x-m4a|x-matroska)$/.test(declared);
	return toFileType(isPrecise ? declared : `${family}/${container}`, container);
}

/** Whether it is samples without a header, which may begin with any bytes: as of OpenAI and Gemini. */
const isRawSound = (declared: string, text: string): boolean =>
	/^audio\/(pcm|l16)$/.test(declared) && !/^(RIFF|ID3|OggS|fLaC)/.test(text);

/** @param extension The usual one; by default it follows from the type's name. */
const toFileType = (
	mimeType: string,
	extension = mimeType.split(/[/+]/)[1]?.replace(/^x-/, ''),
) => ({ mimeType, extension: EXTENSIONS[mimeType] ?? (extension || 'bin') });

/** An SVG, after anything that XML allows before the first element. */
const SVG_START =
	/^[\s\uFEFF]*(<\?xml[^>]*>\s*)?(<!--(?:(?!-->)[^])*-->\s*)*(<!DOCTYPE\s+svg\b[^>[]*(\[[^\]]*\]\s*)?>\s*)?(<!--(?:(?!-->)[^])*-->\s*)*<svg[\s>]/i;

/** Whether the bytes are only text. No image, video or audio file begins with text alone. */
function isPlainText(start: Uint8Array): boolean {
	try {
		// the last character may be incomplete
		const text = new TextDecoder('utf-8', { fatal: true }).decode(start, { stream: true });
		return !/\p{Cc}/u.test(text.replace(/[\t\r\n]/g, ''));
	} catch {
		return false;
	}
}

/** Maximum characters of a file name, extension included. */
const MAX_CHARACTERS = 120;
/** Maximum UTF-8 bytes of a file name, extension included. File systems allow 255. */
const MAX_BYTES = 240;

/**
 * Makes the file name of a response safe: no folders, no misleading characters, none that a file system rejects, and the extension
 * of the detected type.
 *
 * @param disposition The `Content-Disposition` header.
 * @param extension Without a dot.
 * @returns undefined when there is no name, or nothing remains of it.
 * @see https://www.rfc-editor.org/rfc/rfc6266 and https://www.rfc-editor.org/rfc/rfc8187 for `filename*`
 */
export function sanitizeFileName(disposition: string | undefined, extension: string) {
	const fileName = disposition === undefined ? undefined : parseFileName(disposition);
	const stem = sanitize(fileName?.split(/[/\\]/).at(-1) ?? '')
		.normalize('NFC')
		// not removed by the library: direction marks, lone surrogates, leading dots that hide a file
		.replace(/[\p{C}\p{Zl}\p{Zp}]/gu, '')
		.replace(/\s+/g, ' ')
		.replace(/^[. ]+|[. ]+$/g, '')
		.replace(/\.[a-z0-9]{1,5}$/i, '');
	const short = shortenFileName(stem, extension.length + 1).replace(/[. ]+$/, '');
	// again, for the names of Windows devices, which become empty
	return short ? sanitize(`${short}.${extension}`) || undefined : undefined;
}

function parseFileName(disposition: string): string | undefined {
	// the semicolon allows a header without the disposition type
	const { parameters } = parse(`;${disposition}`, { extended: false });
	const plain = parameters['filename'];
	return decodeExtended(parameters['filename*'] ?? '') ?? (plain && repairUtf8(plain));
}

/** A header is decoded as one character per byte, but many services send UTF-8 in it. */
function repairUtf8(text: string): string {
	if (/[^\0-\xff]/.test(text)) return text;
	try {
		const bytes = Uint8Array.from(text, (character) => character.charCodeAt(0));
		return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
	} catch {
		return text;
	}
}

function shortenFileName(stem: string, reserved: number): string {
	const short = cutText(stem, MAX_CHARACTERS - reserved);
	const { read } = new TextEncoder().encodeInto(short, new Uint8Array(MAX_BYTES - reserved));
	return cutText(short, read);
}
