import { once } from 'node:events';
import { createServer, request, type IncomingMessage } from 'node:http';
import { listen } from '../service/listen.ts';

/** A way to a server that counts what comes, and may let it wait. */
export interface Watched {
	url: string;
	/** Each request in the order of the answers, with the milliseconds that its answer took. */
	times: Array<{ kind: string; took: number; sendAgain(): Promise<unknown> }>;
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
		const body = await bodyOf(incoming);
		const { method = '', url = '/', headers } = incoming;
		const wait = hold(method);
		if (wait) await new Promise((later) => setTimeout(later, wait));
		const onward = request(new URL(url, target), { method, headers }, (answer) => {
			outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
			answer.pipe(outgoing);
			answer.on('end', () => {
				const took = performance.now() - from;
				const sendAgain = async () => await send(new URL(url, target), method, incoming, body);
				times.push({ kind: kindOf(method, url, answer.statusCode), took, sendAgain });
				if (method === 'POST') bodies.set(body, took);
			});
		});
		onward.on('error', () => outgoing.destroy());
		onward.end(body);
	});
	return {
		url: `http://127.0.0.1:${await listen(server)}`,
		times,
		timeOf: (text) => [...bodies].find(([body]) => body.includes(text))?.[1] ?? 0,
		async stop() {
			server.closeAllConnections();
			await new Promise((resolve) => server.close(resolve));
		},
	};
}

/** Without IDs and values, for example `PATCH rows/update 200`. */
function kindOf(method: string, url: string, status = 0): string {
	const { pathname, searchParams } = new URL(url, 'http://n8n');
	const [path = ''] = /data-tables.*/.exec(pathname) ?? [pathname];
	const filter = searchParams.get('filter') ?? '';
	const by = filter && [...filter.matchAll(/"columnName":"(\w+)"/g)].map(([, name]) => name).join();
	return `${method} ${path.replace(/\/\w{16}/, '')} ${by} ${status}`;
}

async function send(to: URL, method: string, { headers }: IncomingMessage, body: string) {
	const onward = request(to, { method, headers }).end(body);
	const [answer] = (await once(onward, 'response')) as [IncomingMessage];
	return await bodyOf(answer);
}

async function bodyOf(incoming: IncomingMessage): Promise<string> {
	const chunks: Buffer[] = [];
	for await (const chunk of incoming) chunks.push(chunk as Buffer);
	return Buffer.concat(chunks).toString('utf8');
}
