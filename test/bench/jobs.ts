/** What happened to the image jobs of the service since they were last told how many there are. */
export interface JobCounts {
	/** Jobs that were started. */
	starts: number;
	/** Requests for a state, and different jobs that were asked for. */
	reads: number;
	asked: number;
	/** Requests for a job that had been asked for before, while another one had not. */
	tooEarly: number;
	/** Jobs whose file was sent, and files that were sent more than once. */
	delivered: number;
	twice: number;
}

export const watchedId = (job: number) => `watched-${job}`;
/** Answered in the same way, but not counted. */
export const otherId = (job: number) => `other-${job}`;
export const statePath = (id: string) => `/v1/images/jobs/${id}`;

const picture = Buffer.from('89504e470d0a1a0a0000000d49484452'.padEnd(2000, '0'), 'hex');

/** Image jobs that do not end before they are told to. */
export function imageJobs() {
	let [jobs, ended] = [0, false];
	const none = { starts: 0, reads: 0, tooEarly: 0, twice: 0 };
	let counts = { ...none };
	const [asked, delivered] = [new Set<string>(), new Set<string>()];
	return {
		counts: (): JobCounts => ({ ...counts, asked: asked.size, delivered: delivered.size }),

		/** Begins to count anew, with so many jobs; or ends all jobs. */
		tell(message: URLSearchParams) {
			if (message.has('end')) ended = true;
			if (!message.has('jobs')) return;
			[jobs, ended] = [Number(message.get('jobs')), false];
			counts = { ...none };
			for (const set of [asked, delivered]) set.clear();
		},

		answer(method: string, path: string) {
			if (method === 'POST' && path.endsWith('/images/jobs'))
				return { body: JSON.stringify({ id: watchedId(counts.starts++), estimated_cost: 1 }) };
			const [, id, isFile] =
				/\/images\/jobs\/((?:watched|other)-\d+)(\/content)?$/.exec(path) ?? [];
			if (id === undefined) return undefined;
			if (isFile) {
				if (delivered.has(id)) counts.twice++;
				delivered.add(id);
				return { type: 'image/png', body: picture };
			}
			if (id.startsWith('watched')) {
				counts.reads++;
				if (asked.has(id) && asked.size < jobs) counts.tooEarly++;
				asked.add(id);
			}
			const state = ended ? { status: 'completed', cost: 1 } : { status: 'processing' };
			return { body: JSON.stringify({ id, created_at: '2026-01-01T00:00:00Z', ...state }) };
		},
	};
}
