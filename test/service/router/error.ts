import { json, type Answer, data, event } from '../answer.ts';
import type { Forms } from '../forms.ts';

/** An error of C; the envelope around `message` and `meta` is not specified (section 7C). */
export function routerError(
	status: number,
	code: string,
	message: string,
	meta?: Record<string, unknown>,
): Answer {
	return json({ error: { code, message, ...(meta && { meta }) } }, status);
}

export const invalid = (message: string): Answer => routerError(400, 'invalid_request', message);

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

/** The line of a backend that failed in the middle: it has the key `error` (section 6C). */
export function errorLine(form: Forms['errorLine']): string {
	const code = 'backend_error';
	const message = 'The backend failed';
	switch (form) {
		case 'object':
			return data({ error: { code, message } });
		case 'string':
			return data({ error: message });
		case 'named':
			return event('error', { error: { code, message } });
	}
}
