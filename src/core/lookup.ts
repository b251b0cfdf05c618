import type { ServiceError } from './errors';
import type { Http } from './http';

/**
 * Reads something that changes rarely, once for all executions of an account.
 *
 * @param name What it is, e.g. `catalog`.
 * @param insufficient What was given, and is not enough. It is read again, unless that was done just now.
 * @returns `insufficient` itself if there is nothing newer.
 */
export type LookUp = <Value>(
	name: string,
	read: (http: Http) => Promise<Value>,
	insufficient?: Lookup<Value>,
) => Promise<Lookup<Value>>;

/** What is known of a service, or why it is not known, with the error of the read if there was one. */
export type Lookup<Value> = Known<Value> | Missing;

interface Known<Value> {
	value: Value;
	/** If it could not be read again: when it was read (milliseconds since 1970), and why there is nothing newer. */
	old?: { readAt: number; reason: string };
}

/** Why something is not known. */
export interface Missing {
	missing: string;
	error?: ServiceError;
}
