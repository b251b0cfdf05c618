import type { Answer } from '../answer.ts';

/** When the work of the endpoint is done before the fault: a job start really starts the job. */
interface Effect {
	effect?: boolean;
}

/**
 * One thing that goes wrong, as plain data. The words are toxiproxy's where it has them.
 *
 * A list of faults is applied in order, the first nearest to the real answer:
 * `[{type:'login_page'},{type:'limit_data',bytes:20}]` is a page that is cut.
 */
export type Fault =
	// time
	| ({ type: 'latency'; ms: number } & Effect)
	| ({ type: 'timeout'; bytes?: number } & Effect)
	/** No answer until the service's `release()`, or `reset()`. */
	| ({ type: 'hold' } & Effect)
	| ({ type: 'slicer'; bytes: number; pause?: number } & Effect)
	// the connection
	| { type: 'reset_unread' }
	| ({ type: 'reset_peer'; bytes?: number } & Effect)
	| ({ type: 'down' } & Effect)
	| ({ type: 'limit_data'; bytes: number } & Effect)
	| ({ type: 'malformed_http'; kind: MalformedHttp } & Effect)
	| ({ type: 'early_hints' } & Effect)
	| ({ type: 'trailers' } & Effect)
	| ({ type: 'content_length'; add: number } & Effect)
	// the head
	| ({ type: 'status'; status: number; body?: unknown; headers?: Record<string, string> } & Effect)
	| ({ type: 'too_many_requests'; retryAfter?: number } & Effect)
	| ({ type: 'redirect'; status: number; to: string } & Effect)
	| ({ type: 'headers'; headers: Record<string, string> } & Effect)
	// the body
	| ({ type: 'body'; body: string; contentType?: string } & Effect)
	| ({ type: 'cut_json' } & Effect)
	| ({ type: 'deep_json'; depth: number } & Effect)
	| ({ type: 'login_page' } & Effect)
	| ({ type: 'empty' } & Effect)
	| ({ type: 'bomb'; bytes: number; gzip?: boolean } & Effect)
	| ({ type: 'replace'; find: string; with: string } & Effect)
	// the event stream
	| ({ type: 'keep_alives_only'; every?: number } & Effect)
	/** Leaves out the events that include a text. */
	| ({ type: 'drop'; includes: string } & Effect)
	| ({ type: 'stream_error'; after: number } & Effect);

export type MalformedHttp =
	| 'duplicate_content_length'
	| 'header_overflow'
	| 'garbage'
	| 'bad_header';

/** Those that answer in place of the endpoint: by default its work is not done then. */
const INSTEAD = new Set<Fault['type']>(['status', 'too_many_requests', 'redirect', 'reset_unread']);

/** Whether the endpoint does its work before the fault strikes. */
export function hasEffect(faults: Fault[]): boolean {
	for (const fault of faults) {
		if (fault.type === 'reset_unread') return false;
		if (fault.effect !== undefined) return fault.effect;
	}
	return !faults.some((fault) => INSTEAD.has(fault.type));
}

/** What each fault makes of an answer. */
export type Faults = {
	[Type in Fault['type']]: (
		answer: Answer,
		fault: Extract<Fault, { type: Type }>,
	) => Answer | Promise<Answer>;
};
