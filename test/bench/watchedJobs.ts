/** What has been asked for since the last `watch`. */
export interface WatchedCounts {
	/** Requests for a state. */
	reads: number;
	/** Jobs that were asked for. */
	asked: number;
	/** Requests for a job that had been asked for before, while another one had not. */
	tooEarly: number;
}

/** Where the state of such a job is. */
export const watchedPath = (id: string) => `/v1/images/jobs/${id}`;
export const watchedId = (job: number) => `watched-${job}`;
/** One that is answered alike, and not counted. */
export const otherId = (job: number) => `other-${job}`;

/** Image jobs that never end, and whose requests are counted job by job. */
export function watchedJobs() {
	let [jobs, latency, reads, tooEarly] = [0, 0, 0, 0];
	const asked = new Set<string>();
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
			}
			return JSON.stringify({ reads, asked: asked.size, tooEarly } satisfies WatchedCounts);
		},

		answer(path: string) {
			const id = path.match(/\/images\/jobs\/((watched|other)-\d+)$/)?.[1];
			if (id === undefined) return undefined;
			if (id.startsWith('watched')) {
				reads++;
				if (asked.has(id) && asked.size < jobs) tooEarly++;
				asked.add(id);
			}
			const record = { id, status: 'processing', created_at: '2026-01-01T00:00:00Z', progress: 40 };
			return { latency, type: 'application/json', body: Buffer.from(JSON.stringify(record)) };
		},
	};
}
