import { createHash } from 'node:crypto';
import { createServer } from 'node:http';
import { buffer } from 'node:stream/consumers';

import { listen } from '../service/listen';
import { mediaFile, padded } from '../service/media/file';
import { directivesOf, numberIn } from '../service/directives';
import type { Job } from '../service/router/job';
import type { Service } from '../service/service';

export const sha256 = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex');

/** The bytes as the service sends them when nothing goes wrong. */
export async function fileOf(job: Job): Promise<Buffer> {
	const { bytes } = mediaFile(job);
	const size = numberIn(directivesOf(job.prompt), 'size') ?? bytes.length;
	return await buffer(padded(bytes, size));
}

/** Another origin, which the service redirects to, and which must not see its key. */
export async function startFileServer(service: Service) {
	let seen = 0;
	const server = createServer(async (request, response) => {
		if (JSON.stringify(request.rawHeaders).includes(service.router.keys.main)) seen++;
		const job = service.world.jobs.get(decodeURIComponent((request.url ?? '/').slice(1)));
		if (!job) return void response.writeHead(404).end();
		response.writeHead(200).end(await fileOf(job));
	});
	const url = `http://127.0.0.1:${await listen(server)}`;
	return {
		url,
		/** How many requests had the service's key. */
		keysSeen: () => seen,
		stop: () => {
			server.closeAllConnections();
			server.close();
		},
	};
}
