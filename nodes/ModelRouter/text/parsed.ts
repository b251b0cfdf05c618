import { noticeOf, type TextAnswer } from '../../../src/router/textAnswer';
import { ServiceError } from '../../../src/service/errors';
import type { StructuredReader } from './format';
import { requestIdOf } from './simplified';

/**
 * Reads an answer as JSON of its format. One that asks for tools has nothing to read yet.
 *
 * @throws ServiceError `unfit`, with the answer and the place that does not fit. It is billed all the same.
 */
export function readParsed(
	read: StructuredReader,
	answer: TextAnswer,
): { parsed?: unknown; parsedChoices?: unknown[] } {
	if (!answer.text && answer.toolCalls.length) return {};
	const choices = answer.choices ?? [answer];
	const parsed = choices.map(({ text }, index) => {
		const result = read(text);
		if ('parsed' in result) return result.parsed;
		const number = choices.length > 1 ? ` ${index + 1}` : '';
		throw new ServiceError('unfit', `The answer${number} is not in the format that was asked for`, {
			outcome: 'started',
			reason: result.reason,
			...requestIdOf(answer),
			computed: { place: result.place },
			partial: answer,
			advice:
				noticeOf(answer) ??
				'Describe the format in the messages, too, or use a model that keeps to it. The answer is billed; its text is in the details.',
		});
	});
	return { parsed: parsed[0], ...(answer.choices && { parsedChoices: parsed }) };
}
