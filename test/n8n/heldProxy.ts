import { createServer, request, type IncomingMessage } from 'node:http';
import { listen } from '../service/listen.ts';

/** A way to n8n that can be held up: where the trigger reaches the job ledger. */
export interface HeldProxy {
	url: string;
	/** Holds up the next requests whose method and body fit. */
	hold(method: string, bodyIncludes: string): void;
	/** How many are held up now. */
	held(): number;
	/** What n8n has answered, in this order. */
	answers: Array<{ method: string; body: string; status: number; text: string }>;
	/** Lets all through again. */
	release(): void;
	stop(): Promise<void>;
}

/** @param target Asked for every request: an n8n that restarts keeps its address. */
export async function startHeldProxy(target: string): Promise<HeldProxy> {
	let rule: { method: string; bodyIncludes: string } | undefined;
	let waiting: Array<() => void> = [];
	const answers: HeldProxy['answers'] = [];

	const server = createServer(async (incoming, outgoing) => {
		const body = await bodyOf(incoming);
		if (rule && incoming.method === rule.method && body.includes(rule.bodyIncludes))
			await new Promise<void>((go) => waiting.push(go));
		const { method, url, headers } = incoming;
		const onward = request(new URL(url ?? '/', target), { method, headers }, (answer) => {
			const { statusCode: status = 502 } = answer;
			outgoing.writeHead(status, answer.headers);
			answer.pipe(outgoing);
			void bodyOf(answer).then(
				(text) => answers.push({ method: method ?? '', body, status, text }),
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

async function bodyOf(incoming: IncomingMessage): Promise<string> {
	const chunks: Buffer[] = [];
	for await (const chunk of incoming) chunks.push(chunk as Buffer);
	return Buffer.concat(chunks).toString('utf8');
}
