import type { ServiceError } from './errors';

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
