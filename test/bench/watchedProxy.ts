import { createServer, request } from 'node:http';
import { text } from 'node:stream/consumers';
import { listen } from '../service/listen.ts';

/** A way to a server that counts what comes, and may let it wait. */
export interface Watched {
	url: string;
	/** Milliseconds that the answer to each request took, in the order of the answers. */
	times: number[];
	/** Milliseconds that the answer took to a request whose body contains the text. */
	timeOf(bodyIncludes: string): number;
	stop(): Promise<void>;
}

/** @param hold Milliseconds that a request waits. */
export async function startWatched(
	target: string,
	hold: (method: string) => number,
): Promise<Watched> {
	const times: Watched['times'] = [];
	const bodies = new Map<string, number>();
	const server = createServer(async (incoming, outgoing) => {
		const from = performance.now();
		const body = await text(incoming);
		const { method = '', url = '/', headers } = incoming;
		const wait = hold(method);
		if (wait) await new Promise((later) => setTimeout(later, wait));
		const onward = request(new URL(url, target), { method, headers }, (answer) => {
			outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
			answer.pipe(outgoing);
			answer.on('end', () => {
				const took = performance.now() - from;
				times.push(took);
				if (method === 'POST') bodies.set(body, took);
			});
		});
		onward.on('error', () => outgoing.destroy());
		onward.end(body);
	});
	return {
		url: `http://127.0.0.1:${await listen(server)}`,
		times,
		timeOf: (included) => [...bodies].find(([body]) => body.includes(included))?.[1] ?? 0,
		async stop() {
			server.closeAllConnections();
			await new Promise((resolve) => server.close(resolve));
		},
	};
}
