import axios, { isAxiosError } from 'axios';
import { Agent } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';

import type { Wanted } from './wanted';

/** Jobs that one execution starts. */
export interface Batch {
	wanted: Wanted[];
	/** Whether they have unique keys, so that the batch may be sent again. */
	hasKeys: boolean;
}

/** Executions that want the same keys at the same time. */
const RIVALS = 3;
/** Batches under way at the same time: more would only wait in n8n's queue until nobody waits for them any more. */
const LANES = 6;
/** How often a batch with keys is sent again before the end. */
const AGAIN = 3;
/** Milliseconds after which nobody waits for an execution any more. */
const PATIENCE = 180_000;

/** Starts executions by n8n's webhooks. */
export function openLoad(addressOf: (hasKeys: boolean) => string) {
	/** Lost are calls without an answer: their executions may have run, in part, or not at all. */
	const calls = { sent: 0, lost: 0, again: 0 };
	// a connection that is kept would make it uncertain whether a killed main had the call
	const http = axios.create({
		httpAgent: new Agent({ keepAlive: false }),
		proxy: false,
		timeout: PATIENCE,
		validateStatus: () => true,
		transformResponse: [],
	});

	/** @returns whether the execution has ended */
	const call = async ({ wanted, hasKeys }: Batch) => {
		for (;;) {
			const answer = await http
				.post<string>(addressOf(hasKeys), { items: wanted })
				.catch((error: unknown) => ({ error }));
			if ('error' in answer ? !isConnectionRefused(answer.error) : !isStarting(answer)) {
				calls.sent++;
				if (!('error' in answer) && answer.status === 200) return true;
				calls.lost++;
				return false;
			}
			await pause(1000);
		}
	};

	const make = async (batch: Batch) => {
		const rivals = Array.from({ length: batch.hasKeys ? RIVALS : 1 }, () => call(batch));
		let ended = (await Promise.all(rivals)).some(Boolean);
		for (let time = 0; batch.hasKeys && time < AGAIN && !ended; time++) {
			calls.again++;
			ended = await call(batch);
		}
	};

	return {
		calls,
		call,
		/** Makes all batches, spread over some time, or longer where n8n is slow. */
		async run(batches: Batch[], milliseconds: number, onProgress: () => void) {
			const begun = Date.now();
			let next = 0;
			const lane = async () => {
				for (let at = next++; at < batches.length; at = next++) {
					await pause(Math.max(0, begun + (at / batches.length) * milliseconds - Date.now()));
					await make(batches[at]!);
					onProgress();
				}
			};
			await Promise.all(Array.from({ length: LANES }, lane));
		},
	};
}

/** Nobody listens, so nothing was received. */
const isConnectionRefused = (error: unknown) =>
	isAxiosError(error) && error.code === 'ECONNREFUSED';

/** n8n listens before it has its webhooks: 200 with a text, then 404; 503 without its database. */
const isStarting = ({ status, data }: { status: number; data: string }) =>
	status === 404 || status === 503 || data.includes('n8n is starting up');
