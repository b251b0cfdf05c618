import { ServiceError, type ServiceErrorDetails } from '../../../src/core/errors';
import { withAdvice } from '../../../src/router/advice';
import { formatUsd } from '../../../src/core/money';
import fc from '../../support/fastCheck';

it.each<[unknown, string | undefined]>([
	[0, '$0.00'],
	[1, '$0.000001'],
	[10, '$0.00001'],
	[10_000, '$0.01'],
	[100_000, '$0.10'],
	[1_000_000, '$1.00'],
	[1_234_500, '$1.2345'],
	[1_234_567, '$1.234567'],
	[-1_500_000, '-$1.50'],
	['1500000', '$1.50'],
	[' 0001500000 ', '$1.50'],
	['12345678901234567890', '$12345678901234.56789'],
	[9007199254740991, '$9007199254.740991'],
	[0.5, undefined],
	['1.5', undefined],
	['1e6', undefined],
	[1e21, undefined],
	[NaN, undefined],
	[Infinity, undefined],
	['', undefined],
	['  ', undefined],
	['$5', undefined],
	[null, undefined],
	[undefined, undefined],
	[true, undefined],
	[{}, undefined],
	[[5], undefined],
	['1'.repeat(31), undefined],
])('%j micro-dollars are %s', (amount, expected) => {
	expect(formatUsd(amount)).toBe(expected);
});

it('loses nothing of any amount, and never shows what is none', () => {
	fc.assert(
		fc.property(fc.bigInt({ min: -(10n ** 29n), max: 10n ** 29n }), (amount) => {
			const shown = formatUsd(String(amount)) ?? '';
			expect(shown).toMatch(/^-?\$(0|[1-9]\d*)\.\d{2,6}$/);
			const [whole = '', fraction = ''] = shown.replace('$', '').split('.');
			expect(BigInt(whole + fraction.padEnd(6, '0'))).toBe(amount);
		}),
	);
	fc.assert(
		fc.property(fc.anything(), (amount) => expect(formatUsd(amount) ?? '$').toMatch(/^-?\$/)),
	);
});

const adviceFor = (details: ServiceErrorDetails) =>
	withAdvice(new ServiceError('refused', 'x', details)).details.advice;

it.each<[string, ServiceErrorDetails, string | undefined]>([
	[
		'a balance with all figures',
		{
			code: 'insufficient_balance',
			meta: { required_micro_usd: 2_000_000, balance_micro_usd: '1500000', held_micro_usd: 1 },
		},
		'The free balance is too small (needed: $2.00, balance: $1.50, held by other running requests: $0.000001). Wait for other requests to end, or top up.',
	],
	[
		'a balance with odd figures',
		{
			status: 402,
			meta: { required_micro_usd: null, balance_micro_usd: 'lots', held_micro_usd: 0 },
		},
		'The free balance is too small (held by other running requests: $0.00). Wait for other requests to end, or top up.',
	],
	[
		'a balance without figures',
		{ status: 402 },
		'The free balance is too small. Wait for other requests to end, or top up.',
	],
	[
		'the wrong endpoint, with any status',
		{ code: 'wrong_endpoint', status: 418 },
		'Use "Text: Message a Model" for text models, "Media" for image, video, music and audio models.',
	],
	[
		'a job that is not completed',
		{ code: 'job_not_completed', status: 409 },
		'The job is not finished yet: use Wait for Job, or ask again later.',
	],
	[
		'a file that is gone',
		{ code: 'content_expired' },
		'The file is no longer available: images and videos are kept for 7 days, music and speech must be downloaded right away.',
	],
	[
		'410 alone',
		{ status: 410 },
		'The file is no longer available: images and videos are kept for 7 days, music and speech must be downloaded right away.',
	],
	['anything else', { status: 400, code: 'x' }, undefined],
	[
		'advice that was there',
		{ status: 410, advice: 'Hurry.' },
		'The file is no longer available: images and videos are kept for 7 days, music and speech must be downloaded right away. Hurry.',
	],
])('%s', (_name, details, advice) => {
	expect(adviceFor(details)).toBe(advice);
});
