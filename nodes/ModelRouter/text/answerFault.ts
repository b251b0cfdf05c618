import { mapServiceError, ServiceError } from '../../../src/core/errors';
import type { StructuredReader } from '../../../src/core/structuredAnswer';
import type { TextAnswer, TextChoice } from '../../../src/router/textAnswer';
import { readStructuredAnswer } from './pricedAnswer';

/**
 * Why an answer does not do, so that Escalate asks the next model.
 *
 * @param maxTokens The output tokens that the caps allowed; undefined if the user set a maximum, which is no fault of the model.
 * @returns undefined for an answer that does.
 */
export function findAnswerFault(
	answer: TextAnswer,
	maxTokens: number | undefined,
	structured: StructuredReader | undefined,
): string | undefined {
	const choices = answer.choices ?? [answer];
	const fault = choices.map((choice) => findChoiceFault(choice, maxTokens)).find(Boolean);
	return (
		fault ?? (structured && !isCallsOnly(answer) ? findMismatch(structured, answer) : undefined)
	);
}

/** Whether an answer calls tools and says nothing, so that no format applies to it. */
export const isCallsOnly = ({ text, toolCalls }: TextChoice): boolean =>
	!text && toolCalls.length > 0;

/** The same for a failure: an answer that has ended without any content. Undefined for one that broke off. */
export function findEmptyFault({ kind, details }: ServiceError): string | undefined {
	const partial = details.partial as TextAnswer | undefined;
	if (kind !== 'truncated' || !partial?.finishReason) return undefined;
	return findChoiceFault(partial, undefined);
}

function findChoiceFault(
	{ text, toolCalls, refusal, finishReason }: TextChoice,
	maxTokens: number | undefined,
): string | undefined {
	if (refusal) return 'the model refused to answer';
	if (finishReason === 'content_filter') return 'the answer was blocked (content_filter)';
	if (finishReason === 'length' && maxTokens !== undefined)
		return `the answer was cut off at ${maxTokens} tokens`;
	return text.trim() || toolCalls.length ? undefined : 'the answer is empty';
}

function findMismatch(structured: StructuredReader, answer: TextAnswer): string | undefined {
	try {
		readStructuredAnswer(structured, answer);
		return undefined;
	} catch (cause) {
		const error = mapServiceError(cause);
		if (!(error instanceof ServiceError)) throw error;
		return describeFault(error);
	}
}

/** What does not do about an answer, by the failure of reading it. */
export const describeFault = ({ message, details: { reason } }: ServiceError): string =>
	[message, reason].filter(Boolean).join(': ');
