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
}

export type Record = ReturnType<typeof createRecord>;

/** Keeps what was received, in order. */
export function createRecord() {
	let waiting: Array<() => void> = [];
	const record = {
		requests: [] as RecordedRequest[],
		/** Requests to paths that are in no part of the specification. */
		unexpected: [] as string[],
		inFlight: 0,
		mostInFlight: 0,
		begin() {
			record.mostInFlight = Math.max(record.mostInFlight, ++record.inFlight);
		},
		end() {
			if (--record.inFlight > 0) return;
			for (const resolve of waiting) resolve();
			waiting = [];
		},
		async settled() {
			if (record.inFlight > 0) await new Promise<void>((resolve) => waiting.push(resolve));
		},
		reset() {
			// emptied in place: tests hold the array
			record.requests.length = 0;
			record.unexpected.length = 0;
			record.mostInFlight = record.inFlight;
		},
	};
	return record;
}
