/** What has become of the held jobs since the last `hold`. */
export interface HeldCounts {
	starts: number;
	/** Jobs whose state was asked for. */
	read: number;
	/** Requests for a state. */
	reads: number;
	files: number;
}

/** Image jobs that stay unfinished until they are released, all at once. */
export function heldJobs() {
	let released = false;
	let counts = { starts: 0, reads: 0, files: 0 };
	const read = new Set<string>();
	const json = (body: object) => ({
		latency: 0,
		type: 'application/json',
		body: Buffer.from(JSON.stringify(body)),
	});
	return {
		/** @returns the counts, for a request that is no request of a node */
		control(path: string): string | undefined {
			if (!path.startsWith('/_jobs')) return undefined;
			if (path.endsWith('?hold')) {
				counts = { starts: 0, reads: 0, files: 0 };
				read.clear();
			}
			if (path.includes('?')) released = path.endsWith('?release');
			return JSON.stringify({ ...counts, read: read.size } satisfies HeldCounts);
		},

		answer(method: string, path: string) {
			if (method === 'POST' && path.endsWith('/images/jobs'))
				return json({ id: `held-${counts.starts++}`, estimated_cost: 1 });
			const [, id, content] = path.match(/\/images\/jobs\/(held-\d+)(\/content)?$/) ?? [];
			if (id === undefined) return undefined;
			if (content) {
				counts.files++;
				return { latency: 0, type: 'image/png', body: picture };
			}
			counts.reads++;
			read.add(id);
			return json(released ? { id, status: 'completed', cost: 1 } : { id, status: 'processing' });
		},
	};
}

export const picture = Buffer.from('89504e470d0a1a0a0000000d49484452'.padEnd(2000, '0'), 'hex');
