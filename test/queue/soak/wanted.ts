import { createHash } from 'node:crypto';
import { createServer } from 'node:http';
import { buffer } from 'node:stream/consumers';

import { directivesOf, numberIn } from '../../service/directives';
import { listen } from '../../service/listen';
import { mediaFile, padded } from '../../service/media/file';
import type { Job } from '../../service/router/job';
import type { Service } from '../../service/service';

/** One job to be made. */
export interface Wanted {
	key: string;
	mediaType: string;
	model: string;
	prompt: string;
}

const MODELS = {
	images: 'canvas/sketch-1',
	videos: 'reel/clip-3',
	music: 'tune/melody-1',
	audio: 'voice/speaker-1',
};

/** From 0 to less than 1. The same words always give the same, in whatever order the requests come. */
export const chanceOf = (...words: Array<string | number>): number =>
	createHash('sha256').update(words.join(' ')).digest().readUInt32BE() / 2 ** 32;

/** Finds the key of a job in its prompt. */
export const keyIn = (text: string): string => /soak-\d+/.exec(text)?.[0] ?? '';

/** Most files are small, some have half a megabyte; a few jobs fail at the service. */
export function wantedOf(seed: number, number: number): Wanted {
	const key = `soak-${number}`;
	const [mediaType, model] = Object.entries(MODELS)[number % 4]!;
	const chance = chanceOf(seed, 'job', key);
	const directive = chance < 0.03 ? ' [[fail]]' : chance < 0.15 ? ' [[size:500000]]' : '';
	return { key, mediaType, model, prompt: `${key} of the soak${directive}` };
}

export const manyWanted = (seed: number, jobs: number): Wanted[] =>
	Array.from({ length: jobs }, (_, number) => wantedOf(seed, number));

export const inBatches = <Item>(items: Item[], size: number): Item[][] =>
	Array.from({ length: Math.ceil(items.length / size) }, (_, at) =>
		items.slice(at * size, (at + 1) * size),
	);

export const sha256 = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex');

/** The bytes as the service sends them when nothing goes wrong. */
export async function fileOf(job: Job): Promise<Buffer> {
	const { bytes } = mediaFile(job);
	const size = numberIn(directivesOf(job.prompt), 'size') ?? bytes.length;
	return await buffer(padded(bytes, size));
}

/** Another origin, which the service redirects to, and which must not see its key. */
export async function startFileServer(service: Service) {
	const leaks: string[] = [];
	const server = createServer(async (request, response) => {
		const url = request.url ?? '/';
		if (JSON.stringify(request.rawHeaders).includes(service.router.keys.main))
			leaks.push(`a request to another origin: ${url}`);
		const job = service.world.jobs.get(decodeURIComponent(url.slice(1)));
		if (!job) return void response.writeHead(404).end();
		response.writeHead(200).end(await fileOf(job));
	});
	const url = `http://127.0.0.1:${await listen(server)}`;
	return {
		leaks,
		addressOf: (jobId: string) => `${url}/${encodeURIComponent(jobId)}`,
		stop() {
			server.closeAllConnections();
			server.close();
		},
	};
}
