/** The right to send one paid start. It is recorded before anything is sent, so a crash leaves a trace. */
export interface StartClaim<Sent, Recorded = Sent> {
	/** Identifies its row until a person decides about it. Undefined without a row. */
	readonly id?: string;
	/**
	 * Called right before every attempt to send; see `HttpRequest.beforeAttempt`.
	 *
	 * @returns the time when the claim expires, in milliseconds since 1970; more than half of the lease is left.
	 * @throws ServiceError `not_started` when the claim is lost, or cannot be renewed.
	 */
	renew(): Promise<number>;
	/** @returns what was recorded of the started work. */
	recordStarted(sent: Sent): Promise<Recorded>;
	/** @returns the failure; if its outcome is unknown, with advice on how to resolve it. */
	recordFailed(cause: unknown): Promise<unknown>;
}
