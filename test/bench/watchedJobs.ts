import { picture } from './heldJobs.ts';

/** What has been asked for since the last `watch`. */
export interface WatchedCounts {
	/** Requests for a state. */
	reads: number;
	/** Jobs that were asked for. */
	asked: number;
	/** Requests for a job that had been asked for before, while another one had not. */
	tooEarly: number;
	/** Jobs whose file was sent, and files that were sent more than once. */
	delivered: number;
	twice: number;
}

/** Where the state of such a job is. */
export const watchedPath = (id: string) => `/v1/images/jobs/${id}`;
export const watchedId = (job: number) => `watched-${job}`;
/** One that is answered alike, and not counted. */
export const otherId = (job: number) => `other-${job}`;

/** Image jobs that do not end before they are told to, and whose requests are counted job by job. */
export function watchedJobs() {
	let [jobs, latency, reads, tooEarly] = [0, 0, 0, 0];
	const asked = new Set<string>();
	const delivered = new Set<string>();
	let twice = 0;
	let ended = false;
	return {
		/** @returns the counts, for a request that is no request of a node */
		control(path: string): string | undefined {
			const { pathname, searchParams } = new URL(path, 'http://bench');
			if (pathname !== '/_watched') return undefined;
			if (searchParams.has('jobs')) {
				[reads, tooEarly] = [0, 0];
				[jobs, latency] = ['jobs', 'latency'].map((name) => Number(searchParams.get(name))) as [
					number,
					number,
				];
				asked.clear();
				delivered.clear();
				[twice, ended] = [0, false];
			}
			if (searchParams.has('end')) ended = true;
			return JSON.stringify({
				...{ reads, asked: asked.size, tooEarly },
				...{ delivered: delivered.size, twice },
			} satisfies WatchedCounts);
		},

		answer(path: string) {
			const [, id, , content] =
				path.match(/\/images\/jobs\/((watched|other)-\d+)(\/content)?$/) ?? [];
			if (id === undefined) return undefined;
			if (content) {
				if (delivered.has(id)) twice++;
				delivered.add(id);
				return { latency, type: 'image/png', body: picture };
			}
			if (id.startsWith('watched')) {
				reads++;
				if (asked.has(id) && asked.size < jobs) tooEarly++;
				asked.add(id);
			}
			const created_at = '2026-01-01T00:00:00Z';
			const record = ended
				? { id, status: 'completed', created_at, cost: 1 }
				: { id, status: 'processing', created_at, progress: 40 };
			return { latency, type: 'application/json', body: Buffer.from(JSON.stringify(record)) };
		},
	};
}
