/** A key with characters that every way of writing changes, and that may still stand in a header. */
export const KEY = 'rk-Q7+x/9dZt"E2Lm&Vb4sWc8\\yHn<K3f=';

const each = (key: string, change: (code: number) => string) =>
	Array.from(key, (character) => change(character.charCodeAt(0))).join('');
const hex = (code: number) => code.toString(16).padStart(2, '0');
const base64 = (text: string) => Buffer.from(text).toString('base64');

/** The ways in which a service, or a proxy before it, may write a key that it repeats. */
export const spellingsOf = (key: string): Record<string, string> => ({
	'as it is': key,
	'in capitals': key.toUpperCase(),
	'percent-encoded': encodeURIComponent(key),
	'percent-encoded in small letters': encodeURIComponent(key).replace(/%../g, (code) =>
		code.toLowerCase(),
	),
	'percent-encoded twice': encodeURIComponent(encodeURIComponent(key)),
	'percent-encoded throughout': each(key, (code) => `%${hex(code)}`),
	'for HTML, by name': key
		.replaceAll('&', '&amp;')
		.replaceAll('<', '&lt;')
		.replaceAll('"', '&quot;')
		.replaceAll('+', '&plus;')
		.replaceAll('/', '&sol;')
		.replaceAll('=', '&equals;'),
	'for HTML, by number': key.replace(/[^\w-]/g, (sign) => `&#${sign.charCodeAt(0)};`),
	'for HTML, throughout': each(key, (code) => `&#x${hex(code)};`),
	'for HTML, twice': key.replace(/[^\w-]/g, (sign) => `&amp;#${sign.charCodeAt(0)};`),
	'for JSON': JSON.stringify(key).slice(1, -1),
	'for JSON, with slashes': JSON.stringify(key).slice(1, -1).replaceAll('/', '\\/'),
	'for JSON, throughout': each(key, (code) => `\\u00${hex(code)}`),
	'for JSON, twice': JSON.stringify(JSON.stringify(key)).slice(3, -3),
	'with \\x': each(key, (code) => `\\x${hex(code)}`),
	'in base64': base64(key),
	'in base64url': Buffer.from(key).toString('base64url'),
	'as a password in base64': base64(`user:${key}`),
	'as a password alone in base64': base64(`:${key}`),
	'as a user in base64': base64(`${key}:`),
	'as a bearer in base64': base64(`Bearer ${key}`),
	'in base64, percent-encoded': encodeURIComponent(base64(key)),
	'in base64 over two lines': base64(key).replace(/^.{20}/, '$&\r\n'),
	'in hexadecimal': Buffer.from(key).toString('hex'),
	'over two lines': `${key.slice(0, 11)}\r\n ${key.slice(11)}`,
	'over two lines of quoted-printable': `${key.slice(0, 11)}=\r\n${key.slice(11)}`,
});

/** All of them in one text. */
export const everySpelling = (key: string) => Object.values(spellingsOf(key)).join(' | ');

/** All texts in a value as it is stored, the names of its fields among them. */
export function textsIn(value: unknown): string[] {
	const plain = JSON.parse(JSON.stringify(value) ?? 'null') as unknown;
	const inside = (part: unknown): string[] => {
		if (typeof part === 'string') return [part];
		if (typeof part !== 'object' || part === null) return [];
		return Object.entries(part).flatMap(([name, held]) => [name, ...inside(held)]);
	};
	return inside(plain);
}

/** The spellings of a key of which texts hold the middle, with what stands around it. */
export function spellingsIn(texts: string[], key: string): string[] {
	return Object.entries(spellingsOf(key)).flatMap(([name, spelling]) => {
		const third = Math.floor(spelling.length / 3);
		const middle = spelling.slice(third, -third);
		return texts
			.filter((text) => text.includes(middle))
			.map((text) => {
				const at = text.indexOf(middle);
				return `${name}: ${text.slice(Math.max(0, at - 60), at + 100)}`;
			});
	});
}
