import { request } from 'node:http';

/** One line of n8n's streamed answer. */
export interface Chunk {
	type: 'begin' | 'item' | 'end' | 'error' | 'keepalive';
	content?: string;
	metadata?: { nodeName: string; itemIndex: number; runIndex: number };
}

/**
 * Calls a webhook whose workflow streams, and gives its chunks as they arrive. Retried while the webhook is not registered
 * yet, which n8n does a moment after the publication.
 */
export async function* callLive(url: string, body: unknown): AsyncGenerator<Chunk> {
	const deadline = Date.now() + 60_000;
	for (;;) {
		const response = await post(url, body);
		if (response.statusCode === 404 && Date.now() < deadline) {
			response.resume();
			await new Promise((resolve) => setTimeout(resolve, 100));
			continue;
		}
		if (response.statusCode !== 200) throw new Error(`${url} answered ${response.statusCode}`);
		let rest = '';
		for await (const piece of response.setEncoding('utf8')) {
			const lines = (rest + String(piece)).split('\n');
			rest = lines.pop() ?? '';
			for (const line of lines) if (line.trim()) yield JSON.parse(line) as Chunk;
		}
		return;
	}
}

function post(url: string, body: unknown) {
	return new Promise<import('node:http').IncomingMessage>((resolve, reject) => {
		const headers = { 'content-type': 'application/json' };
		// a connection of its own: a busy n8n may close one that it has kept, in the middle of a stream with a long pause
		const call = request(url, { method: 'POST', headers, agent: false });
		call.on('response', resolve).on('error', reject);
		call.end(JSON.stringify(body));
	});
}
