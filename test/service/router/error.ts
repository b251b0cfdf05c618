import { json, type Answer } from '../answer.ts';

/** An error of C; the envelope around `message` and `meta` is not specified (section 7C). */
export function routerError(
	status: number,
	code: string,
	message: string,
	meta?: Record<string, unknown>,
): Answer {
	return json({ error: { code, message, ...(meta && { meta }) } }, status);
}

export const invalid = (message: string): Answer =>
	routerError(400, 'invalid_request', message);

/** Section 7C: 402 with the three amounts. */
export const insufficientBalance = (
	required: number,
	account: { balance: number; held: number },
): Answer =>
	routerError(402, 'insufficient_balance', 'The balance does not cover this request', {
		required_micro_usd: required,
		balance_micro_usd: account.balance,
		held_micro_usd: account.held,
	});
