import axios, { type AxiosInstance } from 'axios';
import { createParser } from 'eventsource-parser';
import { Agent, request as httpRequest } from 'node:http';
import { Pool } from 'undici';
import { models } from './answers.ts';
import { otherId, watchedPath } from './watchedJobs.ts';

export const rawBody = (model: string, item: number, stream: boolean) =>
	JSON.stringify({ model, messages: [{ role: 'user', content: `message-${item}` }], stream });

const headers = { 'content-type': 'application/json', 'x-api-key': 'a key of the benchmark' };

/** Works on `count` items with `concurrency` workers. */
export async function workThrough(
	count: number,
	concurrency: number,
	work: (item: number) => Promise<void>,
): Promise<void> {
	let next = 0;
	const worker = async () => {
		for (let item = next++; item < count; item = next++) await work(item);
	};
	await Promise.all(Array.from({ length: concurrency }, worker));
}

/** What is left of a request when n8n is left out: kept connections, JSON parsed. */
export async function undiciItems(url: string, model: string, count: number, concurrency: number) {
	const pool = new Pool(url, { connections: concurrency });
	await workThrough(count, concurrency, async (item) => {
		const { body } = await pool.request({
			method: 'POST',
			path: '/v1/chat/completions',
			headers,
			body: rawBody(model, item, false),
		});
		expectAnswer(await body.json());
	});
	await pool.close();
}

/** The same for the states of media jobs. */
export async function undiciStates(url: string, count: number, concurrency: number) {
	const pool = new Pool(url, { connections: concurrency });
	await workThrough(count, concurrency, async (job) => {
		const { body } = await pool.request({
			method: 'GET',
			path: watchedPath(otherId(job)),
			headers,
		});
		const answer = await body.json();
		if (!(answer instanceof Object) || !('status' in answer)) throw new Error('no state');
	});
	await pool.close();
}

/** n8n's own HTTP client. n8n makes it a new agent for every request, hence a new connection. */
export async function axiosItems(url: string, count: number, concurrency: number, keep: boolean) {
	const kept = new Agent({ keepAlive: true });
	const client: AxiosInstance = axios.create({ baseURL: url, proxy: false, headers });
	await workThrough(count, concurrency, async (item) => {
		const httpAgent = keep ? kept : new Agent();
		const body = rawBody(models.short, item, false);
		expectAnswer((await client.post('/v1/chat/completions', body, { httpAgent })).data);
	});
	kept.destroy();
}

function expectAnswer(answer: unknown) {
	if (!(answer instanceof Object) || !('choices' in answer)) throw new Error('no answer');
}

/** The long answer with nothing around it. @returns the characters of text that came */
export async function rawLongAnswer(url: string): Promise<number> {
	return await new Promise((resolve, reject) => {
		let length = 0;
		const parser = createParser({
			onEvent({ data }) {
				if (data === '[DONE]') return;
				const { choices } = JSON.parse(data) as {
					choices: Array<{ delta: { content: string } }>;
				};
				length += choices[0]?.delta.content.length ?? 0;
			},
		});
		const sent = httpRequest(
			`${url}/v1/chat/completions`,
			{ method: 'POST', headers, agent: new Agent() },
			(response) => {
				response.setEncoding('utf8');
				response.on('data', (text: string) => parser.feed(text));
				response.on('end', () => resolve(length)).on('error', reject);
			},
		);
		sent.on('error', reject).end(rawBody(models.long, 0, true));
	});
}
