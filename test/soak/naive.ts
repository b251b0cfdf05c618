import { sha256 } from './files';
import type { Scenario } from './scenarios';
import { nothingTold, type Told } from './told';
import type { Wanted } from './wanted';

/** What a first attempt without care does: three tries for everything, and a file is whatever came. */
export const naive: Scenario = {
	name: 'Without care',
	async make(wanted, { secrets }) {
		const { baseUrl, apiKey } = secrets['modelRouterApi']!;
		const ask = async (path: string, body?: object) => {
			const response = await fetch(`${String(baseUrl)}/v1/${path}`, {
				...(body && { method: 'POST', body: JSON.stringify(body) }),
				headers: { 'X-API-KEY': String(apiKey), 'content-type': 'application/json' },
				signal: AbortSignal.timeout(2000),
			});
			if (!response.ok) throw new Error(`status ${response.status}`);
			return response as Answer;
		};
		return await Promise.all(wanted.map(async (each) => await makeOne(each, ask)));
	},
};

interface Answer {
	json(): Promise<{ id: string; status: string }>;
	arrayBuffer(): Promise<ArrayBuffer>;
}

type Ask = (path: string, body?: object) => Promise<Answer>;

async function makeOne({ key, mediaType, model, prompt }: Wanted, ask: Ask): Promise<Told> {
	const told = nothingTold(key);
	try {
		const { id } = await threeTimes(async () =>
			(await ask(`${mediaType}/jobs`, { model, prompt })).json(),
		);
		const path = `${mediaType}/jobs/${id}`;
		for (let status = ''; status !== 'completed'; ) {
			({ status } = await threeTimes(async () => (await ask(path)).json()));
			if (status === 'failed') return { ...told, ids: new Set([id]), failed: true };
		}
		const bytes = await threeTimes(async () => (await ask(`${path}/content`)).arrayBuffer());
		const file = { jobId: id, sha256: sha256(Buffer.from(bytes)) };
		return { ...told, ids: new Set([id]), file };
	} catch {
		return told;
	}
}

async function threeTimes<Result>(attempt: () => Promise<Result>): Promise<Result> {
	for (let time = 1; ; time++) {
		try {
			return await attempt();
		} catch (error) {
			if (time === 3) throw error;
		}
	}
}
