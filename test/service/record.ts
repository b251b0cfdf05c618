import type { IncomingHttpHeaders } from 'node:http';

export interface RecordedRequest {
	method: string;
	/** With its query. */
	path: string;
	headers: IncomingHttpHeaders;
	/** Parsed JSON, or the text as it came. */
	body: unknown;
	bodyText: string;
	/** Whether the client closed the connection before the answer ended. */
	abandoned: boolean;
	/** Absent while no head was sent. */
	status?: number;
	/** By the clock of the service. */
	at: number;
	/** Number of the TCP connection, from 1. */
	connection: number;
}

export interface Record {
	requests: RecordedRequest[];
	/** Requests to paths that are in no part of the specification. */
	unexpected: string[];
	inFlight: number;
	mostInFlight: number;
	begin(): void;
	end(): void;
	settled(): Promise<void>;
	reset(): void;
}

/** Keeps what was received, in order. */
export function createRecord(): Record {
	let waiting: Array<() => void> = [];
	return {
		requests: [],
		unexpected: [],
		inFlight: 0,
		mostInFlight: 0,
		begin() {
			this.inFlight++;
			this.mostInFlight = Math.max(this.mostInFlight, this.inFlight);
		},
		end() {
			this.inFlight--;
			if (this.inFlight > 0) return;
			for (const resolve of waiting) resolve();
			waiting = [];
		},
		async settled() {
			if (this.inFlight > 0) await new Promise<void>((resolve) => waiting.push(resolve));
		},
		reset() {
			// emptied in place: tests hold the array
			this.requests.length = 0;
			this.unexpected.length = 0;
			this.mostInFlight = this.inFlight;
		},
	};
}
