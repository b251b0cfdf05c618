import { json, type Answer } from '../answer.ts';
import type { World } from '../world.ts';

/** An error of C; the envelope around `message` and `meta` is not specified (section 7C). */
export function routerError(
	world: World,
	status: number,
	code: string,
	message: string,
	meta?: Record<string, unknown>,
): Answer {
	const error = { code, message, ...(meta && { meta }) };
	switch (world.forms.routerError) {
		case 'error-object':
			return json({ error }, status);
		case 'flat':
			return json(error, status);
		case 'error-string':
			return json({ ...error, error: code }, status);
	}
}

export const invalid = (world: World, message: string): Answer =>
	routerError(world, world.forms.invalidStatus, 'invalid_request', message);

/** Section 7C: 402 with the three amounts. */
export const insufficientBalance = (
	world: World,
	required: number,
	account: { balance: number; held: number },
): Answer =>
	routerError(world, 402, 'insufficient_balance', 'The balance does not cover this request', {
		required_micro_usd: required,
		balance_micro_usd: account.balance,
		held_micro_usd: account.held,
	});
