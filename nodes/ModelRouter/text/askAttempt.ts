import type { Caps } from '../../../src/core/caps';
import { mapServiceError, ServiceError } from '../../../src/core/errors';
import { readDecimal, ZERO } from '../../../src/core/money';
import { type AskContext, askPaid, type PaidText, type PricedAnswer } from './pricedAnswer';

/**
 * Asks one of several models. An attempt that an earlier run has paid for counts in the caps, too, before another model is asked.
 *
 * @throws ServiceError as `askPaid`.
 */
export async function askAttempt(context: AskContext, paid: PaidText & { attempt: string }) {
	let isSent = false;
	const startPaid: AskContext['startPaid'] = async (start) =>
		await context.startPaid({
			...start,
			async send(attempts) {
				isSent = true;
				return await start.send(attempts);
			},
		});
	try {
		const asked = await askPaid({ ...context, startPaid }, paid);
		if (!isSent) countRemembered(paid.limits.caps, asked.answer);
		return asked;
	} catch (cause) {
		const partial = cause instanceof ServiceError ? cause.details.partial : undefined;
		if (!isSent && partial) countRemembered(paid.limits.caps, partial);
		throw mapServiceError(cause);
	}
}

function countRemembered(
	{ item, conversation }: Caps,
	{ costUsd, reservedUsd }: Partial<PricedAnswer>,
): void {
	const microUsd = readDecimal(costUsd ?? reservedUsd)?.times(1e6) ?? ZERO;
	for (const cap of [item, conversation]) cap?.count(microUsd);
}
