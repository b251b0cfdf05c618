/** Characters and UTF-8 bytes of a file name, its ending included: file systems take 255 bytes. */
const [MAX_CHARACTERS, MAX_BYTES] = [120, 240];

const PARAMETER = /;\s*([\w!#$%&'*+.^`|~-]+)\s*=\s*(?:"((?:\\[\s\S]|[^"\\])*)"|([^;]*))/g;
const DEVICE = /^(con|prn|aux|nul|conin\$|conout\$|(com|lpt)[0-9¹²³])(\.|$)/i;

/**
 * Makes a safe name of the one that a service gives its file: no folders, no characters that mislead or that a file system
 * does not take, and the ending of what the file really is.
 *
 * @param disposition The `Content-Disposition` header.
 * @param extension Without a dot.
 * @returns undefined where there is no name, or nothing is left of it.
 * @see https://www.rfc-editor.org/rfc/rfc6266 and https://www.rfc-editor.org/rfc/rfc8187 for `filename*`
 */
export function safeFileName(
	disposition: string | undefined,
	extension: string,
): string | undefined {
	const given = disposition === undefined ? undefined : nameIn(disposition);
	const stem = (given?.split(/[/\\]/).at(-1) ?? '')
		.normalize('NFC')
		// controls, marks that turn the direction of writing, halves of characters
		.replace(/[\p{C}\p{Zl}\p{Zp}<>:"|?*]/gu, '')
		.replace(/\s+/g, ' ')
		.replace(/^[. ]+|[. ]+$/g, '')
		.replace(/\.[a-z0-9]{1,5}$/i, '');
	const short = shortened(stem, extension.length + 1).replace(/[. ]+$/, '');
	return short && !DEVICE.test(short) ? `${short}.${extension}` : undefined;
}

function nameIn(disposition: string): string | undefined {
	const found = new Map<string, string>();
	// what stands first is the kind of disposition, unless it was left out
	for (const [, name = '', quoted, token = ''] of `;${disposition}`.matchAll(PARAMETER)) {
		const key = name.toLowerCase();
		if (!found.has(key)) found.set(key, quoted?.replace(/\\([\s\S])/g, '$1') ?? token.trim());
	}
	const plain = found.get('filename');
	return extended(found.get('filename*') ?? '') ?? (plain && utf8In(plain));
}

/** A name with its character set, e.g. `UTF-8''%e2%82%ac.png`. */
function extended(value: string): string | undefined {
	const [, charset = '', encoded = ''] = /^([\w-]+)'[^']*'(.*)$/.exec(value) ?? [];
	const isLatin = /^iso-8859-1$/i.test(charset);
	if (!isLatin && !/^utf-?8$/i.test(charset)) return undefined;
	if (/%(?![\da-f]{2})/i.test(encoded)) return undefined;
	const bytes = encoded.replace(/%(..)/g, (_, hex: string) =>
		String.fromCharCode(parseInt(hex, 16)),
	);
	return isLatin ? bytes : decodedAs8(bytes);
}

/** A header arrives with one character per byte; many services put UTF-8 into it as it is. */
const utf8In = (text: string) => decodedAs8(text) ?? text;

function decodedAs8(text: string): string | undefined {
	const codes = [...text].map((character) => character.codePointAt(0) ?? 0);
	if (codes.some((code) => code > 0xff)) return undefined;
	try {
		return new TextDecoder('utf-8', { fatal: true }).decode(Uint8Array.from(codes));
	} catch {
		return undefined;
	}
}

function shortened(stem: string, taken: number): string {
	let [short, bytes] = ['', taken];
	for (const character of stem) {
		bytes += new TextEncoder().encode(character).length;
		if (short.length + character.length + taken > MAX_CHARACTERS || bytes > MAX_BYTES) break;
		short += character;
	}
	return short;
}
