import { isPresent } from '../core/json';
import { readCount } from '../core/money';

/** The fields for a maximum of output tokens per answer: of each protocol its own, and the later name of the first. @see section 4C */
const LIMIT_FIELDS = ['max_tokens', 'max_output_tokens', 'max_completion_tokens'];

/** The field for it that a protocol itself defines. */
export type LimitField = 'max_tokens' | 'max_output_tokens';

/**
 * Gives all maxima of output tokens in a request one value, the smallest, and adds the protocol's own field.
 *
 * Only that field is certain to limit the answer: the others are forwarded to the model, which may ignore them. If it does apply
 * another one, it finds the same value there, so the cost has one bound whichever counts.
 *
 * @returns the same body if it sets no maximum, or one that cannot be read: that has no bound.
 */
export function unifyOutputLimits<Body extends Record<string, unknown>>(
	body: Body,
	own: LimitField,
): Body {
	const given = LIMIT_FIELDS.filter((name) => isPresent(body[name]));
	const limits = given.map((name) => readPositive(body[name]) ?? NaN);
	const limit = Math.min(...limits);
	if (!Number.isFinite(limit)) return body;
	return { ...body, ...Object.fromEntries([own, ...given].map((name) => [name, limit])) };
}

/** The same request without what limits or chooses its answer: from any model, and at any cost. */
export const withoutLimits = (body: Record<string, unknown>) =>
	Object.fromEntries(
		Object.entries(body).filter(([name]) => name !== 'model' && !LIMIT_FIELDS.includes(name)),
	);

/**
 * The maximum output tokens of one answer, if the protocol's own field sets it, and the number of answers.
 *
 * @returns undefined if a maximum or the number cannot be read. A service may take 0 for "no maximum".
 */
export function readOutputLimits(body: Record<string, unknown>, own: LimitField) {
	const choices = readPositive(body['n'] ?? 1);
	const given = LIMIT_FIELDS.map((name) => body[name]).filter(isPresent);
	if (!choices || !given.every(readPositive)) return undefined;
	return { allowance: readPositive(body[own]), choices };
}

/** A whole number, or its digits. */
const readPositive = (value: unknown) => readCount(value) || undefined;
