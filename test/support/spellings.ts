/** A key that every form changes, and both alphabets of base64, and that may still stand in a header. */
export const KEY = 'rk-Q7+x/9dZt"E2Lm&Vb4sWc8\\yHn<~~~~???3f=';

const json = (text: string) => JSON.stringify(text).slice(1, -1);
const base64 = (text: string) => Buffer.from(text).toString('base64');

/** The forms in which a service may repeat a key that it was sent. */
export const spellingsOf = (key: string): Record<string, string> => ({
	'as it is': key,
	'in capitals': key.toUpperCase(),
	'URL-encoded': encodeURIComponent(key),
	'URL-encoded with small letters': encodeURIComponent(key).replace(/%../g, (code) =>
		code.toLowerCase(),
	),
	'escaped for JSON': json(key),
	'escaped for JSON, as PHP does it': json(key).replaceAll('/', '\\/'),
	'escaped for JSON twice': json(json(key)),
	'in base64': base64(key),
	'in base64url': Buffer.from(key).toString('base64url'),
	'as a user in base64': base64(`${key}:`),
	'as a password in base64': base64(`user:${key}`),
	'as a password alone in base64': base64(`:${key}`),
	'as a bearer in base64': base64(`Bearer ${key}`),
});

/** All forms in one text. */
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

/** The forms of a key of which texts hold the middle, with what stands around it. */
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
