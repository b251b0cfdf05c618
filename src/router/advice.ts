import { withDetails, type ServiceError } from '../service/errors';
import { explainWrongEndpoint } from './kinds';

/**
 * The same error with what the user can do about it, for the codes and statuses that the specification names.
 *
 * @param model The model that was asked for.
 */
export function advised(error: ServiceError, model?: unknown): ServiceError {
	if (error.details.code === 'wrong_endpoint') return explainWrongEndpoint(error, model);
	const advice = adviceFor(error);
	const given = error.details.advice ?? '';
	// a failure may come by here on several floors
	if (!advice || given.includes(advice)) return error;
	return withDetails(error, { advice: given ? `${advice} ${given}` : advice });
}

/** Whether a request was refused because its largest possible cost does not fit the free balance. */
export const isBalanceTooSmall = ({ details: { code, status } }: ServiceError) =>
	code === 'insufficient_balance' || status === 402;

function adviceFor(error: ServiceError): string | undefined {
	const { code, status, meta, ids } = error.details;
	if (isBalanceTooSmall(error)) return balanceSentence(meta ?? {});
	if (code === 'job_not_completed' || (ids?.['jobId'] && NOT_YET.has(status ?? 0)))
		return 'The job is not finished yet: use Wait, or ask again later.';
	if (code === 'content_expired' || status === 410) {
		return 'The file is no longer kept: images and videos are kept for 7 days, music and speech have to be downloaded at once.';
	}
	return undefined;
}

/** Statuses with which services ask to come back later. */
const NOT_YET = new Set([202, 204, 409, 425]);

function balanceSentence(meta: Record<string, unknown>): string {
	const figures = [
		['needed', meta['required_micro_usd']],
		['balance', meta['balance_micro_usd']],
		['held by other running requests', meta['held_micro_usd']],
	].flatMap(([label, value]) => {
		const amount = dollars(value);
		return amount === undefined ? [] : [`${label}: ${amount}`];
	});
	const said = figures.length ? ` (${figures.join(', ')})` : '';
	return `The free balance is too small${said}. Wait for other requests to end, or top up.`;
}

/**
 * Writes micro-dollars as dollars, without rounding.
 *
 * @param microUsd A whole number, or its digits as text; 1 is 0.000001 USD.
 * @returns undefined for anything else, so that a missing figure is never shown as a number.
 */
export function dollars(microUsd: unknown): string | undefined {
	const digits =
		typeof microUsd === 'number' || typeof microUsd === 'string' ? String(microUsd).trim() : '';
	if (!/^-?\d{1,30}$/.test(digits)) return undefined;
	const [sign, amount] = digits.startsWith('-') ? ['-', digits.slice(1)] : ['', digits];
	const padded = amount.padStart(7, '0');
	const fraction = padded.slice(-6).replace(/0{1,4}$/, '');
	return `${sign}$${padded.slice(0, -6).replace(/^0+(?=\d)/, '')}.${fraction}`;
}
