// The same work without n8n.
import { createParser } from 'eventsource-parser';
import { createWriteStream, mkdtempSync, rmSync } from 'node:fs';
import { Agent, request, type IncomingMessage, type RequestOptions } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { Pool } from 'undici';
import { models } from './answers.ts';
import { otherId, statePath } from './jobs.ts';

export const rawBody = (model: string) =>
	JSON.stringify({ model, messages: [{ role: 'user', content: 'message-0' }], stream: true });

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

/** The states of jobs over kept connections. */
export async function rawStates(url: string, count: number, concurrency: number): Promise<void> {
	const pool = new Pool(url, { connections: concurrency });
	await workThrough(count, concurrency, async (job) => {
		const { body } = await pool.request({ headers, method: 'GET', path: statePath(otherId(job)) });
		const answer = await body.json();
		if (!(answer instanceof Object) || !('status' in answer)) throw new Error('no status came');
	});
	await pool.close();
}

/** The long answer by node:http and a parser of events. @returns the characters of text that came */
export async function rawLongAnswer(url: string): Promise<number> {
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
	const body = rawBody(models.long);
	const answer = await opened(`${url}/v1/chat/completions`, { method: 'POST', headers }, body);
	answer.setEncoding('utf8').on('data', (text: string) => parser.feed(text));
	await new Promise((resolve, reject) => answer.on('end', resolve).on('error', reject));
	return length;
}

export async function rawFileToDisk(url: string, bytes: number): Promise<void> {
	const folder = mkdtempSync(join(tmpdir(), 'file-'));
	try {
		const answer = await opened(`${url}/v1/videos/jobs/file-${bytes}/content`);
		await pipeline(answer, createWriteStream(join(folder, 'file')));
	} finally {
		rmSync(folder, { recursive: true });
	}
}

/** Each on a connection of its own, as n8n makes them. */
async function opened(url: string, options: RequestOptions = {}, body?: string) {
	return await new Promise<IncomingMessage>((resolve, reject) =>
		request(url, { ...options, agent: new Agent() }, resolve)
			.once('error', reject)
			.end(body),
	);
}
