import { ServiceError } from '../core/errors';
import type { SchemaError } from '../core/jsonSchema';
import { omitMissing } from '../core/json';
import { createStructuredReader, type StructuredReader } from '../core/structuredAnswer';
import { type Protocol, protocols } from '../router/protocols';
import { answerWarning, FINISH_WHEN_CUT, type TextAnswer } from '../router/textAnswer';

/*
 * What an answer that is paid for is read as. A failure says that it is billed.
 */

/**
 * Reads an answer as JSON.
 *
 * @returns for each choice the value in `output` and its text in `text`.
 * @throws ServiceError `schemaMismatch`, with the answer (which is billed) and the path of the value that does not match.
 */
export function readStructuredAnswer(
	read: StructuredReader,
	answer: TextAnswer,
	maxTokens?: number,
): object[] {
	const choices = answer.choices ?? [answer];
	return choices.map(({ text }, index) => {
		const result = read(text);
		if ('value' in result) return { output: result.value, text };
		const number = choices.length > 1 ? ` ${index + 1}` : '';
		throw mismatchError(
			`The answer${number} is not in the requested format`,
			answerWarning(answer, maxTokens) ??
				'Describe the format in the messages as well, or use a model that follows it. The answer is billed; its text is in the details.',
			{ ...result, answer },
		);
	});
}

/** An answer that is paid for, and of no use. */
const mismatchError = (
	message: string,
	whatToDo: string,
	{ reason, place, answer }: SchemaError & { answer: TextAnswer },
): ServiceError =>
	new ServiceError('schemaMismatch', message, {
		outcome: 'started',
		reason,
		...omitMissing({ requestId: answer.requestId }),
		computed: { place },
		partial: answer,
		advice: whatToDo,
	});

/**
 * LangChain completes arguments that break off, and an agent would run its tool with half of an order.
 *
 * @throws ServiceError `schemaMismatch` that names the tool.
 */
export function checkCalls(answer: TextAnswer, maxTokens: number | undefined): void {
	const { toolCalls, finishReason } = answer;
	const isCut = FINISH_WHEN_CUT.includes(finishReason);
	for (const [index, { name, arguments: given }] of toolCalls.entries()) {
		// what could be read is a text no longer
		if (typeof given !== 'string') continue;
		// none are written as nothing, too; but not where the answer ends before them
		const none = isCut && index === toolCalls.length - 1 ? '' : '{}';
		const result = readJson(given.trim() || none);
		if ('value' in result) continue;
		const message = `The model called the tool "${name}" with arguments that are not complete JSON`;
		const limit = finishReason === 'length' && answerWarning(answer, maxTokens);
		const advice = 'They may be cut off, so no tool was called. The answer is billed.';
		throw mismatchError(message, limit ? `${advice} ${limit}` : advice, { ...result, answer });
	}
}
const readJson = createStructuredReader();

/** The message of an answer that calls tools or shows how it was thought of: its vendor wants that back. */
export function keepMessage(
	answer: TextAnswer,
	raw: Record<string, unknown>,
	protocol: Protocol,
): { message?: unknown } {
	const { given, toMessage } = protocols[protocol];
	const entries = given(raw);
	// that cannot be read
	const hasThoughts = entries.some(
		(entry) => (Object(entry) as Record<string, unknown>)['type'] === 'reasoning',
	);
	const isKept = answer.toolCalls.length || answer.reasoning || hasThoughts;
	return isKept ? { message: toMessage(answer, entries) } : {};
}
