import { NodeApiError, NodeOperationError, type INode } from 'n8n-workflow';

import { describeStatus, REPORTED } from '../../../src/core/errorResponses';
import {
	invalidInputError,
	ServiceError,
	type ServiceErrorDetails,
	type ServiceErrorKind,
	truncatedAnswerError,
} from '../../../src/core/errors';
import { RUNBOOK } from '../../../src/n8n/documentation';
import { toErrorItem, toNodeError } from '../../../src/n8n/errors';
import { createRedactor } from '../../../src/n8n/redact';
import fc from '../../support/fastCheck';

const NODE: INode = {
	id: '1',
	name: 'N',
	type: 't',
	typeVersion: 1,
	position: [0, 0],
	parameters: {},
};
const TRIGGER = { ...NODE, type: 'p.someTrigger' };
const ECHOED = 'abcdefgh-secret-key-12345678';

const MESSAGE = 'The balance does not cover this request (402)';
const IDS = { status: 402, outcome: 'not_started', requestId: 'r-1' } as const;
const DETAILS = {
	...IDS,
	code: 'insufficient_balance',
	advice: 'Top up.',
	reason: 'ENOENT <b>& preexisting</b>',
	meta: { required_micro_usd: 5 },
};
const BROKE = new ServiceError('refused', MESSAGE, DETAILS);

const PLAIN_LINK = `See the runbook: ${RUNBOOK}`;
const LINK = `See the <a href="${RUNBOOK}" target="_blank">runbook</a>.`;

it.each<[string, ServiceErrorKind, ServiceErrorDetails, string, string]>([
	[
		'of the service',
		'refused',
		{ status: 500, reason: '<a href="https://x.org">Pay</a> <!channel> 1 < 2 &amp; 3' },
		'The service says: < a href="https://x.org">Pay< /a> < !channel> 1 < 2 &amp; 3.',
		'The service says: &lt;a href="https://x.org">Pay&lt;/a> &lt;!channel> 1 &lt; 2 &amp;amp; 3.',
	],
	[
		'of a user',
		'invalid',
		{ needsOperator: true, advice: 'Look at <b>.' },
		'Look at < b>.',
		'Look at &lt;b>.',
	],
])(
	'words %s are plain text where they are posted, and the runbook is a link in the editor',
	(_whose, kind, details, plain, html) => {
		for (const type of ['x', 'xTool', 'xTrigger', 'lmChatX']) {
			const error = toNodeError({ ...NODE, type }, new ServiceError(kind, 'No', details));
			const lines = [error.description, error.context['descriptionTemplate']].map((text) =>
				String(text).split('\n'),
			);
			const shown = type === 'xTrigger' && kind === 'invalid' ? [] : [plain, html];
			expect(lines.flat()).toEqual(expect.arrayContaining([...shown, PLAIN_LINK, LINK]));
			expect(error.description).not.toMatch(/<\S|&lt;/);
			expect(error.message).not.toContain('runbook');
		}
	},
);

it('a title with words of the service is plain text, too', () => {
	const said = new ServiceError('failed', REPORTED, { reason: 'Ask <!channel> & <b>' });
	for (const type of ['x', 'xTool', 'xTrigger', 'lmChatX'])
		expect(toNodeError({ ...NODE, type }, said).message).toContain('Ask < !channel> & < b>');
});

it('shows our sentence, and the words of the service as text', () => {
	const error = toNodeError(NODE, BROKE, 3);
	expect(error).toBeInstanceOf(NodeApiError);
	expect(error).toMatchObject({
		message: `${MESSAGE}: insufficient_balance`,
		httpCode: '402',
		description: [
			'The service says: ENOENT < b>& preexisting< /b>.',
			'Top up.',
			'Code: insufficient_balance.',
			'Outcome: nothing was started, nothing is charged.',
			'Request ID: r-1',
			PLAIN_LINK,
		].join('\n'),
		context: { itemIndex: 3, metadata: { kind: 'refused', ...IDS } },
	});
});

it('puts everything into the error output, and nothing beside error and details', () => {
	expect(toErrorItem(toNodeError(NODE, BROKE), BROKE)).toEqual({
		error: `${MESSAGE}: insufficient_balance. Top up.`,
		details: { kind: 'refused', ...DETAILS },
	});
});

const OTHER_WORDS = 'Preexisting keys cannot be used';
const failure = (...given: ConstructorParameters<typeof ServiceError>) =>
	new ServiceError(...given);

it.each([
	[
		'ids, and then what to do',
		'Late (jobId: j, chatId: c). Wait.',
		failure('timeout', 'Late', { ids: { jobId: 'j', chatId: 'c' }, advice: 'Wait.' }),
	],
	[
		'no outcome',
		'Failed. Check.',
		failure('refused', 'Failed', { outcome: 'unknown', advice: 'Check.' }),
	],
	[
		'what may be charged, and then what to do',
		'Cut. What arrived may be charged. Look at it, in "partial", before you ask again: that is charged again. Wait longer.',
		failure('truncated', 'Cut', { advice: 'Wait longer.' }),
	],
	// for a code of the network n8n has words of its own
	[
		'no code',
		'No way. Hm.',
		failure('unreachable', 'No way', { code: 'ENOTFOUND', advice: 'Hm.' }),
	],
	// which n8n would replace for a part of one
	['its own words', OTHER_WORDS, invalidInputError(OTHER_WORDS)],
	['its own words', `No. ${OTHER_WORDS}.`, failure('refused', 'No', { advice: `${OTHER_WORDS}.` })],
])('the text of an item, and of a trigger, tells %s: %s', (_what, message, error) => {
	expect(toErrorItem(toNodeError(NODE, error), error)).toMatchObject({ error: message });
	expect(toNodeError(TRIGGER, error).message).toBe(message);
});

it.each([
	[NODE, 'Failed (jobId: j)', 'The service says: Slow.\nWait.'],
	[TRIGGER, 'Failed (jobId: j). Wait.', 'The service says: Slow.'],
])('says each thing once: %#', (node, message, description) => {
	const details = { ids: { jobId: 'j' }, reason: 'Slow.', advice: 'Wait.' };
	const error = failure('failed', 'Failed', details);
	expect(toNodeError(node, error)).toMatchObject({ message, description });
});

it.each([
	['Found <nothing>.', 'Found < nothing>.'],
	[undefined, 'Nothing was sent for this item.'],
])('what was refused on our side is a mistake of the workflow: %s', (advice, description) => {
	const message = 'Model is empty';
	const error = toNodeError(NODE, invalidInputError(message, advice), 1);
	expect(error).toBeInstanceOf(NodeOperationError);
	expect(error).toMatchObject({ message, description, context: { itemIndex: 1 } });
});

it.each([
	[{ status: 401 }, { cause: 'credential-invalid' }],
	[{ status: 403 }, { cause: 'credential-invalid' }],
	[
		{ status: 429, retryAfter: 90 },
		{ cause: 'rate-limited', retryAfterMs: 90 },
	],
	[{ status: 429 }, { cause: 'rate-limited' }],
	[{ status: 503 }, { cause: 'temporarily-unavailable' }],
	[{ status: 400 }, undefined],
])('%j tells n8n %j', (details, failure) => {
	const error: { failure?: object } = toNodeError(NODE, new ServiceError('refused', 'x', details));
	expect(error.failure).toEqual(failure);
});

it('an item says in seconds how long the service asks to wait', () => {
	const error = new ServiceError('refused', 'x', { status: 429, retryAfter: 1500 });
	expect(toErrorItem(toNodeError(NODE, error), error)['details']).toEqual({
		kind: 'refused',
		status: 429,
		retryAfterSeconds: 2,
	});
});

it('shows how much of an answer came', () => {
	const partly = (text: string) => toNodeError(NODE, truncatedAnswerError('why', { text }));
	expect(partly('abc').description).toContain('What arrived before (3 characters): abc');
	expect(partly('').description).toContain('No text had arrived.');
	const long = partly('x'.repeat(300_000));
	expect(long.description?.length).toBeLessThan(1200);
	expect(JSON.stringify(long.context).length).toBeLessThan(110_000);
	const item = toErrorItem(long, truncatedAnswerError('why', { text: 'x'.repeat(300_000) }));
	expect(JSON.stringify(item).length).toBeGreaterThan(300_000);
});

it('an error of n8n stays what it is, and learns its item', () => {
	const own = new NodeOperationError(NODE, 'mine');
	expect(toNodeError(NODE, own, 2)).toBe(own);
	expect(own.context['itemIndex']).toBe(2);
	const boom = { message: 'boom', context: { itemIndex: 4 } };
	expect(toNodeError(NODE, new TypeError('boom'), 4)).toMatchObject(boom);
	expect(toNodeError(NODE, 'boom')).toMatchObject({ message: 'boom' });
	expect(toErrorItem(own, own)).toEqual({ error: 'mine' });
});

it('an error of n8n is stored without the key, too', () => {
	const secret = new Error(`no ${ECHOED}`, { cause: new Error(ECHOED) });
	const foreign = toNodeError(NODE, secret, 0, createRedactor(ECHOED));
	const own = new NodeOperationError(NODE, `no ${ECHOED}`, { description: `of ${ECHOED}` });
	own.context['given'] = { [ECHOED]: ECHOED };
	for (const error of [foreign, toNodeError(NODE, own, 0, createRedactor(ECHOED))]) {
		expect(error.message).toBe('no ***');
		const { message, stack, description, context, messages, cause } = error;
		expect(
			JSON.stringify([error, message, stack, description, context, messages, String(cause)]),
		).not.toContain(ECHOED);
	}
});

it.each([
	[401, undefined, /Copy the API key into the credential again/],
	[404, undefined, /Check what the node asks for, such as the model or an ID, and the base URL/],
	[429, undefined, /Raise "Wait When Rate-Limited" or lower "Max Items at Once"/],
	[404, 'Ask somebody.', /^(?!.*Check what).*Ask somebody/s],
])('%s with the advice "%s" says what to do', (status, advice, said) => {
	const error = new ServiceError('refused', 'Refused', { status, ...(advice && { advice }) });
	expect(toNodeError(NODE, error).description).toMatch(said);
	expect(toErrorItem(toNodeError(NODE, error), error)['error']).toMatch(said);
});

const CREDENTIALS = { a: { id: '1', name: 'Ops "key"' } };
const COPY = 'Copy the API key into the credential "Ops "key"" again';

it.each([
	['the service', 401, describeStatus(401), COPY],
	['the service, with advice', 403, describeStatus(403), `${COPY}: it has`],
	['n8n', 401, 'The job ledger could not be used: n8n refused the API key (401)', 'Do that.'],
	['a store', 403, 'The address where the service stores the file refused it', 'Do that.'],
])('%s refuses a key with %d: where "%s" is told, so is "%s"', (_who, status, message, said) => {
	const error = new ServiceError('refused', message, { status, advice: 'Do that.' });
	for (const type of ['x', 'xTool', 'xTrigger', 'lmChatX']) {
		const made = toNodeError({ ...NODE, type, credentials: CREDENTIALS }, error);
		const shown = `${made.message} ${made.description}`;
		expect(shown).toContain(said);
		expect(shown).toContain('Do that.');
		expect(shown.includes('Ops')).toBe(said !== 'Do that.');
		expect(toErrorItem(made, error)['error']).toContain(said);
	}
});

it.each<[ServiceErrorKind, ServiceErrorDetails, boolean]>([
	['invalid', { needsOperator: true, advice: 'Wait.' }, true],
	['refused', { status: 401 }, true],
	['refused', { status: 402 }, true],
	['refused', { status: 429 }, true],
	['refused', { status: 410 }, true],
	['refused', { status: 503 }, true],
	['refused', { status: 400, code: 'content_expired' }, true],
	['unreachable', { outcome: 'unknown' }, true],
	['unreachable', { outcome: 'not_started' }, true],
	['unreachable', { permanent: true }, false],
	['timeout', {}, true],
	['refused', { status: 400, outcome: 'not_started' }, false],
	['invalid', { advice: 'Correct it.' }, false],
	['truncated', { outcome: 'started' }, false],
])('%s with %j leads to the runbook: %s', (kind, details, does) => {
	const { message, description } = toNodeError(NODE, new ServiceError(kind, 'Words', details));
	expect([description?.endsWith(PLAIN_LINK), message.includes('runbook')]).toEqual([does, false]);
});

it('a title is never as long as what somebody entered, and says each thing once', () => {
	const long = toNodeError(NODE, invalidInputError(`${'x'.repeat(1_000_000)} is wrong`));
	expect(long.message).toBe(`${'x'.repeat(500)}…`);
	expect((long.stack ?? '').length).toBeLessThan(5000);
	const said = new ServiceError('failed', REPORTED, { reason: 'No\nway.', advice: 'Wait.' });
	expect(toNodeError(NODE, said).message).toBe(`${REPORTED}: No way`);
	expect(toNodeError(NODE, said).description).toBe('Wait.');
	const asTool = { ...NODE, type: 'xTool' };
	expect(toNodeError(asTool, said).message.match(/No way/g)).toHaveLength(1);
});

it.each([
	...(['refused', 'truncated', 'malformed', 'failed'] as const),
	...(['unreachable', 'cancelled', 'timeout', 'invalid'] as const),
])('%s is never without a description, which is never the message', (kind) => {
	const { message, description } = toNodeError(NODE, new ServiceError(kind, 'Words'));
	expect(message).toBe('Words');
	expect(description).toMatch(/^(?!Words$)./);
});

it('the key is in none of it, wherever the service puts it', () => {
	const words = fc.constantFrom(
		ECHOED,
		`Bearer ${ECHOED}`,
		encodeURIComponent(ECHOED),
		`a${ECHOED}b`,
		ECHOED.slice(0, 8),
		ECHOED.slice(-8),
	);
	const details = fc.record(
		{
			reason: words,
			code: words,
			requestId: words,
			advice: words,
			meta: fc.record({ a: words }),
			ids: fc.record({ jobId: words }),
			partial: fc.record({ text: words }),
		},
		{ requiredKeys: [] },
	);
	fc.assert(
		fc.property(details, words, (given, said) => {
			const cause = new ServiceError('refused', said, given);
			const error = toNodeError(NODE, cause, 0, createRedactor(ECHOED));
			const { message, description, context } = error;
			const item = toErrorItem(error, cause, createRedactor(ECHOED));
			expect(JSON.stringify([message, description, context, item])).not.toContain(ECHOED);
		}),
	);
});
