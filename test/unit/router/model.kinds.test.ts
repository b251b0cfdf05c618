import { ServiceError } from '../../../src/core/errors';
import { checkKind, explainWrongEndpoint, type ModelKind } from '../../../src/router/model';

const KINDS: ModelKind[] = ['text', 'image', 'video', 'music', 'audio'];
const model = (kind?: unknown) => ({
	id: 'v/m',
	...(kind !== undefined && { kind: kind as never }),
});

it.each(KINDS)('a model of the kind %s is for itself alone', (kind) => {
	for (const needed of KINDS) {
		const check = () => checkKind(model(kind), needed);
		if (kind === needed) expect(check).not.toThrow();
		else expect(check).toThrow(expect.objectContaining({ kind: 'invalid' }));
	}
});

it.each([[undefined], [''], ['embedding'], ['toString'], [null]])(
	'the kind %j is not judged',
	(kind) => {
		for (const needed of KINDS) expect(() => checkKind(model(kind), needed)).not.toThrow();
	},
);

it.each<[ModelKind, string, string]>([
	['text', 'The model v/m answers with text', 'Use "Text: Message a Model" for it.'],
	['image', 'The model v/m makes images', 'Use "Media" with the Media Type "Image" for it.'],
	['video', 'The model v/m makes videos', 'Use "Media" with the Media Type "Video" for it.'],
	['music', 'The model v/m makes music', 'Use "Media" with the Media Type "Music" for it.'],
	[
		'audio',
		'The model v/m makes speech and sound',
		'Use "Media" with the Media Type "Speech" for it.',
	],
])(
	'a model of the kind %s says where it is of use, in the same words before and after',
	(kind, message, advice) => {
		const needed = kind === 'text' ? 'image' : 'text';
		expect(() => checkKind(model(kind), needed)).toThrow(
			expect.objectContaining({ message, details: { advice } }),
		);
		const reason = `Use /v1/${ENDPOINTS[kind]} for this model.`;
		const refused = new ServiceError('refused', 'x', { code: 'wrong_endpoint', reason });
		expect(explainWrongEndpoint(refused, 'v/m')).toMatchObject({
			message,
			details: { advice, reason },
		});
	},
);

const ENDPOINTS: Record<ModelKind, string> = {
	text: 'chat/completions',
	image: 'images/jobs',
	video: 'videos/jobs',
	music: 'music/jobs',
	audio: 'audio/jobs',
};

const UNKNOWN = 'is of another kind than this operation needs';

it.each<[string | undefined, unknown, string]>([
	['POST /v1/responses', 'v/m', 'The model v/m answers with text'],
	['see https://host/v1/images/jobs.', 'v/m', 'The model v/m makes images'],
	['/v1/chat/completions or /v1/responses', 'v/m', 'The model v/m answers with text'],
	['use /v1/images/jobs', undefined, 'This model makes images'],
	['use /v1/images/jobs', { a: 1 }, 'This model makes images'],
	['use another endpoint', 'v/m', `The model v/m ${UNKNOWN}`],
	['use /v1/myimages/jobs', 'v/m', `The model v/m ${UNKNOWN}`],
	['your responses', 'v/m', `The model v/m ${UNKNOWN}`],
	[undefined, '', `This model ${UNKNOWN}`],
	// which of them is the right one is not said
	[
		'/v1/images/jobs does not serve it, use /v1/chat/completions',
		'v/m',
		`The model v/m ${UNKNOWN}`,
	],
	['use /v1/audio/jobs or /v1/music/jobs', 'v/m', `The model v/m ${UNKNOWN}`],
])('the reason %j for the model %j says: %s', (reason, id, message) => {
	const details = {
		code: 'wrong_endpoint',
		status: 400,
		requestId: 'r',
		...(reason && { reason }),
	};
	const told = explainWrongEndpoint(new ServiceError('refused', 'x', details), id);
	expect(told).toMatchObject({ kind: 'refused', message, details });
	expect(told.details.advice).toMatch(/^Use .*\.$/);
	expect(explainWrongEndpoint(told, id)).toEqual(told);
});

it('any other error stays as it is', () => {
	const other = new ServiceError('refused', 'x', { code: 'other', reason: 'use /v1/images/jobs' });
	expect(explainWrongEndpoint(other, 'v/m')).toBe(other);
});
