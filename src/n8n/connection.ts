import { createHash } from 'crypto';
import type { ICredentialDataDecryptedObject } from 'n8n-workflow';
import { assertUrlAllowed, sleep } from 'n8n-workflow';

import { cleanKey, normaliseBaseUrl } from '../service/address';
import type { Http } from '../service/http';
import { withRate } from '../service/rate';
import { withRetries, type Clock } from '../service/retry';
import { stopped } from './body';
import { viaN8n, type Context } from './http';
import { rateGateOf } from './rateGates';
import { redactor, type Redactor } from './redact';
import type { ToReadable } from './storeFile';
import { defaultSettings, type RequestSettings } from './settings';

/** A credential, read once, and the way to the service that it opens. */
export interface Connection {
	http: Http;
	/** The same without any second attempt, for what is not worth waiting for. */
	httpOnce: Http;
	clock: Clock;
	baseUrl: string;
	/** Tells one account from another for as long as the process lives; the key cannot be read from it. */
	account: string;
	/** Tells two credentials of one type apart; for the start ledger. */
	credentialId: string;
	redact: Redactor;
	/** Reads a field of the credential that is no secret. */
	field(name: string): string;
	toReadable: ToReadable;
}

/** What a node has to say about its credential. */
export interface ServiceAccess {
	/** Name of the credential type, e.g. `modelRouterApi`. */
	credential: string;
	/** A version that ends the base URL and may be there, missing or doubled; paths then begin with it. */
	version?: string;
	/** Whether its address may begin with http:// anywhere. Default: on this machine only. */
	plain?: boolean;
	/**
	 * How many requests a minute the service takes, for one that has such a limit. They then wait for their turn.
	 *
	 * @throws ServiceError `invalid`.
	 */
	perMinute?(credential: ICredentialDataDecryptedObject): number;
}

interface Further {
	/** Whether requests and waits go on after the execution was stopped. */
	outlivesStop?: boolean;
	/** Learns this key, too. */
	redact?: Redactor;
}

/**
 * Reads the credential once and opens a way to the service through n8n, which adds the header and honours the instance's
 * proxy settings.
 *
 * Base URL and key come from one reading: fields of a credential may hold expressions, and the helper by itself would read
 * them again for every request (n8n-core 2.41.1, request-helpers/authentication.js:37).
 *
 * @throws ServiceError `invalid` for a base URL or key that cannot be used.
 */
export async function connect(
	n8n: Context,
	{ credential, version, plain, perMinute }: ServiceAccess,
	settings: RequestSettings = defaultSettings,
	{ outlivesStop = false, redact = redactor('') }: Further = {},
): Promise<Connection> {
	const data = await n8n.getCredentials<ICredentialDataDecryptedObject>(credential);
	const baseUrl = normaliseBaseUrl(String(data['baseUrl'] ?? ''), version, plain);
	const apiKey = cleanKey(data['apiKey']);
	redact.also(apiKey);
	const node = n8n.getNode();
	if (data['allowedHttpRequestDomains'] === 'domains') {
		// n8n enforces this for its own HTTP nodes only
		const allowedDomains = String(data['allowedDomains'] ?? '').trim() || 'none';
		assertUrlAllowed({ url: baseUrl, allowedDomains, node });
	}
	const stops = 'getExecutionCancelSignal' in n8n && !outlivesStop;
	const stop = stops ? n8n.getExecutionCancelSignal() : undefined;
	const clock: Clock = {
		now: () => Date.now(),
		async sleep(milliseconds) {
			try {
				await sleep(milliseconds, stop);
			} catch {
				throw stopped(false);
			}
		},
		random: () => Math.random(),
	};
	let Readable: ReadableClass | undefined;
	const line = viaN8n(n8n, {
		credential,
		data: { ...data, baseUrl, apiKey },
		settings,
		stop,
		onBody(body) {
			Readable ??= (body as { constructor: unknown }).constructor as ReadableClass;
		},
	});
	const httpOnce: Http = {
		async send(request) {
			// what is not sent any more has no outcome that nobody knows
			if (stop?.aborted) throw stopped(false);
			return await line.send(request);
		},
	};
	const account = createHash('sha256').update(`${baseUrl}\n${apiKey}`).digest('base64');
	const longestWait = settings.longestWait * 1000;
	const limit = perMinute && { perMinute: perMinute(data), gate: rateGateOf(account) };
	const inTurn = limit ? withRate(httpOnce, { ...limit, clock, longestWait }) : httpOnce;
	return {
		http: withRetries(inTurn, clock, longestWait),
		httpOnce,
		clock,
		baseUrl,
		account,
		credentialId: node.credentials?.[credential]?.id ?? '',
		redact,
		field: (name) => String(data[name] ?? '').trim(),
		toReadable(bytes) {
			if (!Readable) throw new Error('A file is stored only after a response has come');
			return Readable.from(bytes, { objectMode: false });
		},
	};
}

/** Node's stream class, as far as it is used. It cannot be imported by a community node; every response body has it. */
interface ReadableClass {
	from(bytes: AsyncIterable<Uint8Array>, options: { objectMode: boolean }): ReturnType<ToReadable>;
}
