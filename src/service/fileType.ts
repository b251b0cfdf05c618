import { filetypeinfo } from 'magic-bytes.js';

export interface FileType {
	mimeType: string;
	/** Without a dot. */
	extension: string;
}

/** Bytes from the beginning of a file that are enough to tell its type. */
export const SNIFF_LENGTH = 4096;

/** Containers whose first bytes do not tell sound from picture: there the header or the kind of the job decides. */
const CONTAINERS: Record<string, string> = {
	mp4: 'mp4',
	mkv: 'webm',
	webm: 'webm',
	ogx: 'ogg',
	ogg: 'ogg',
};
const COMMON_NAMES: Record<string, string> = { 'audio/x-wav': 'audio/wav' };
const EXTENSIONS: Record<string, string> = {
	'audio/mp4': 'm4a',
	'audio/mpeg': 'mp3',
	'image/jpeg': 'jpg',
	'video/quicktime': 'mov',
};

/**
 * Tells the type of a media file from its first bytes, and only where they do not tell, from the service's header.
 *
 * @param header The `Content-Type` that came along.
 * @param family What the job makes.
 * @returns undefined for something that is no file: a web page, JSON or a plain text, which a proxy or an error put in its place.
 */
export function fileTypeOf(
	start: Uint8Array,
	header: string | undefined,
	family: 'image' | 'video' | 'audio',
): FileType | undefined {
	const declared = header?.split(';')[0]?.trim().toLowerCase() ?? '';
	const words = isWords(start);
	const [known] = filetypeinfo(start).filter(
		({ mime, extension }) =>
			mime &&
			extension &&
			!/^application\/(json|xml)$/.test(mime) &&
			// some types are told by a single letter: "Gateway Timeout" is no film
			(!words || mime === 'image/svg+xml'),
	);
	if (known?.mime && known.extension) {
		const container = CONTAINERS[known.extension];
		if (!container) {
			const mimeType = COMMON_NAMES[known.mime] ?? known.mime;
			return { mimeType, extension: EXTENSIONS[mimeType] ?? known.extension };
		}
		const mimeType = /^(audio|video)\/(mp4|webm|ogg|x-m4a|x-matroska)$/.test(declared)
			? declared
			: `${family}/${container}`;
		return { mimeType, extension: EXTENSIONS[mimeType] ?? container };
	}
	const text = new TextDecoder().decode(start);
	// a drawing may begin with an XML declaration, which an error page of a file store does as well
	if (/^\s*<\?xml[^>]*>[^<]*<svg\b/.test(text))
		return { mimeType: 'image/svg+xml', extension: 'svg' };
	const looksLikePage = /^\s*[<{[]/.test(text);
	if (looksLikePage || /html|json|xml/.test(declared)) return undefined;
	if (words && !/^(image|audio|video)\//.test(declared)) return undefined;
	const mimeType = /^(image|audio|video)\/[\w.+-]+$/.test(declared)
		? declared
		: 'application/octet-stream';
	const extension =
		EXTENSIONS[mimeType] ??
		(mimeType.startsWith('application') ? 'bin' : (mimeType.split(/[/+]/)[1] ?? 'bin'));
	return { mimeType, extension: extension.replace(/^x-/, '') };
}

/** Whether there is nothing but text in it, which no picture, film or sound begins with. */
function isWords(start: Uint8Array): boolean {
	try {
		// what comes next may lie across the end
		const text = new TextDecoder('utf-8', { fatal: true }).decode(start, { stream: true });
		return !/\p{Cc}/u.test(text.replace(/[\t\r\n]/g, ''));
	} catch {
		return false;
	}
}
