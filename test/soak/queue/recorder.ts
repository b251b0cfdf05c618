import { createServer } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { setTimeout as pause } from 'node:timers/promises';

import { listen } from '../../service/listen';
import type { Arrival } from '../book';
import { sha256 } from '../files';

/** Milliseconds of an answer: the time in which a kill finds an item behind the trigger. */
const WORK = 2000;

/** Where the workflow behind the trigger writes down each item that it has: POST /<media type>/<job id>, its file as the body. */
export async function startRecorder() {
	const arrivals: Arrival[] = [];
	const server = createServer(async (request, response) => {
		const [, mediaType = '', jobId = ''] = (request.url ?? '').split('/').map(decodeURIComponent);
		const bytes = await buffer(request).catch(() => undefined);
		// whoever sends it was killed before it had sent all
		if (!bytes) return;
		arrivals.push({ jobId, ...(bytes.length && { sha256: sha256(bytes) }) });
		await pause(WORK);
		response.writeHead(200, { 'content-type': 'application/json' });
		response.end(JSON.stringify({ mediaType, jobId }));
	});
	const url = `http://127.0.0.1:${await listen(server)}`;
	return {
		url,
		arrivals,
		stop: () => {
			server.closeAllConnections();
			server.close();
		},
	};
}
