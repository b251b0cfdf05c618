import { createServer, request } from 'node:http';
import { text } from 'node:stream/consumers';
import { setTimeout as pause } from 'node:timers/promises';

import { listen } from '../service/listen.ts';

/** A way to n8n, or to a service, that can be held up and remembers what went through: where nodes reach the job ledger, for one. */
export interface HeldProxy {
	url: string;
	/** Holds up the next requests whose method and body fit. */
	hold(method: string, bodyIncludes: string): void;
	/** How many are held up now. */
	held(): number;
	/** What was answered, in this order, with the milliseconds that it took. */
	answers: Array<{ method: string; body: string; status: number; text: string; took: number }>;
	/** Lets all through again. */
	release(): void;
	stop(): Promise<void>;
}

/**
 * @param target Asked for every request: an n8n that restarts keeps its address.
 * @param delay Milliseconds that a request waits.
 */
export async function startHeldProxy(
	target: string,
	delay: (method: string) => number = () => 0,
): Promise<HeldProxy> {
	let rule: { method: string; bodyIncludes: string } | undefined;
	let waiting: Array<() => void> = [];
	const answers: HeldProxy['answers'] = [];

	const server = createServer(async (incoming, outgoing) => {
		const from = performance.now();
		const body = await text(incoming);
		const { method = '', url, headers } = incoming;
		const wait = delay(method);
		if (wait) await pause(wait);
		if (rule && method === rule.method && body.includes(rule.bodyIncludes))
			await new Promise<void>((go) => waiting.push(go));
		const onward = request(new URL(url ?? '/', target), { method, headers }, (answer) => {
			const { statusCode: status = 502 } = answer;
			outgoing.writeHead(status, answer.headers);
			answer.pipe(outgoing);
			void text(answer).then(
				(said) =>
					answers.push({ method, body, status, text: said, took: performance.now() - from }),
				// n8n was killed while it answered
				() => outgoing.destroy(),
			);
		});
		onward.on('error', () => outgoing.destroy());
		onward.end(body);
	});
	const url = `http://127.0.0.1:${await listen(server)}`;
	return {
		url,
		hold: (method, bodyIncludes) => (rule = { method, bodyIncludes }),
		held: () => waiting.length,
		answers,
		release() {
			rule = undefined;
			for (const go of waiting) go();
			waiting = [];
		},
		async stop() {
			server.closeAllConnections();
			await new Promise((resolve) => server.close(resolve));
		},
	};
}
