import { hash } from 'crypto';

import { cancelledError } from '../core/errors';
import type { Http } from '../core/http';
import { RateLimiter, type Turn } from '../core/rateLimit';
import { withRetries } from '../core/resend';
import type { Clock } from '../core/retry';
import { abortableSleep } from './deadline';
import { createN8nHttp, type HttpContext, type TransportOptions } from './http';
import { checkAllowedDomains } from './n8nVersions';
import type { Redactor } from './redact';
import { keepPerKey, rateLimiterOf, serviceFactsOf } from './memory/sharedCache';

export interface ClientOptions extends Omit<TransportOptions, 'clock'> {
	redact: Redactor;
	/** Its fingerprint. */
	account: string;
	/** The limit of the service. All connections of an account in this process share its limiter. */
	limit?: Pick<Turn, 'perMinute' | 'book' | 'onUnavailable'>;
}

/**
 * The fingerprint of an account. A hash: it does not reveal the key.
 *
 * @param headers A gateway may choose the service, or the customer, by them.
 */
export const identifyAccount = (
	baseUrl: string,
	apiKey: string,
	headers: Record<string, string> = {},
) => hash('sha256', [baseUrl, apiKey, ...Object.entries(headers).flat()].join('\n'), 'base64');

/**
 * Makes the HTTP client for an account of a service.
 *
 * @throws when the credential does not permit the address.
 */
export function createClient(n8n: HttpContext, { account, limit, ...options }: ClientOptions) {
	const { data, settings, baseUrl, stop } = options;
	checkAllowedDomains(data, baseUrl, n8n.getNode());
	const clock = createClock(stop);
	const serviceFacts = serviceFactsOf(account);
	const { hostname } = new URL(baseUrl);
	const known = { serviceFacts, hostname };
	const httpWithoutRetries = { ...createN8nHttp(n8n, { ...options, clock }), ...known };
	const maxRateLimitWait = settings.maxRateLimitWait * 1000;
	const turn = { ...limit, clock, maxRateLimitWait };
	/** A limit of the account counts for all of it. Without one, each model has its own. */
	const httpOf = keepPerKey((): Http => {
		const limiter = limit?.perMinute === undefined ? new RateLimiter() : rateLimiterOf(account);
		return { ...withRetries(httpWithoutRetries, limiter, turn), ...known };
	});
	return {
		/** For everything that no model limits. */
		http: httpOf(''),
		/** For requests to a model. Its 429 delays no other one. */
		httpOf,
		/** The same without retries, for requests that are not worth a wait. */
		httpWithoutRetries,
		clock,
		/** Identifies the account within this process. A hash: it does not reveal the key. */
		account,
	};
}

/** The real clock. Its `sleep` ends with `cancelled` when the execution is stopped. */
export function createClock(stop: AbortSignal | undefined): Clock {
	return {
		now: () => Date.now(),
		sleep: async (milliseconds) =>
			await abortableSleep(milliseconds, stop).catch(() => {
				throw cancelledError(false);
			}),
		random: () => Math.random(),
	};
}
