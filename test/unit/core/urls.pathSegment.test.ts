import { encodePathSegment } from '../../../src/core/urls';
import fc, { character } from '../../support/fastCheck';

const FOLDER = 'https://host.example/v1/images/jobs/';

it.each([
	['job_1', 'job_1'],
	['vendor/model', 'vendor%2Fmodel'],
	['a b', 'a%20b'],
	['a?b#c', 'a%3Fb%23c'],
	['..a', '..a'],
	['a..b', 'a..b'],
	['...', '...'],
	['100%', '100%25'],
	['é😀', '%C3%A9%F0%9F%98%80'],
	['7'.repeat(512), '7'.repeat(512)],
])('%j becomes %s', (id, segment) => {
	expect(encodePathSegment(id, 'Job ID')).toBe(segment);
});

it.each([
	['', 'Job ID is empty'],
	[' \t', 'Job ID is empty'],
	['.', 'Job ID must not point to another address'],
	['..', 'Job ID must not point to another address'],
	['../x', 'Job ID must not point to another address'],
	['x/../../y', 'Job ID must not point to another address'],
	['x\\..\\y', 'Job ID must not point to another address'],
	['%2e%2e', 'Job ID must not point to another address'],
	['%2E.', 'Job ID must not point to another address'],
	['a\r\nHost: x', 'Job ID contains a control character'],
	['a\0', 'Job ID contains a control character'],
	['a\u0085', 'Job ID contains a control character'],
	['a\ud800', 'Job ID contains an incomplete character, such as half of an emoji'],
	['7'.repeat(513), 'Job ID is longer than 512 characters'],
	['x'.repeat(20_000), 'Job ID is longer than 512 characters'],
])('%j is refused: %s', (id, message) => {
	expect(() => encodePathSegment(id, 'Job ID')).toThrow(
		expect.objectContaining({ name: 'ServiceError', kind: 'invalid', message }),
	);
});

it('never lets an id leave its folder', () => {
	const hostile = fc
		.array(
			fc.constantFrom(
				'.',
				'..',
				'/',
				'\\',
				'%2e',
				'%2f',
				'%',
				'?',
				'#',
				';',
				'\t',
				' ',
				'@',
				':',
				'a',
			),
			{ maxLength: 8 },
		)
		.map((parts) => parts.join(''));
	fc.assert(
		fc.property(fc.oneof(fc.string({ unit: character }), hostile), (id) => {
			let segment: string;
			try {
				segment = encodePathSegment(id, 'Job ID');
			} catch (error) {
				expect(error).toMatchObject({ name: 'ServiceError', kind: 'invalid' });
				return;
			}
			const { href, pathname, search, hash } = new URL(`${FOLDER}${segment}/content`);
			expect([href.startsWith(FOLDER), search, hash]).toEqual([true, '', '']);
			expect(pathname.split('/')).toHaveLength(6);
			expect(decodeURIComponent(pathname.split('/')[4] ?? '')).toBe(id);
		}),
	);
});
