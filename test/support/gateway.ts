import { createServer, request } from 'node:http';

import { listen } from '../service/listen.ts';

export type Gateway = Awaited<ReturnType<typeof startGateway>>;

/** What stands in front of a service, and lets only those through who send its headers. It keeps them to itself. */
export async function startGateway(target: string, demanded: Record<string, string>) {
	const names = Object.keys(demanded);
	/** Method and path of what was turned away. */
	const refused: string[] = [];
	const server = createServer((incoming, outgoing) => {
		const { method, url = '/', headers } = incoming;
		if (names.some((name) => headers[name] !== demanded[name])) {
			refused.push(`${method} ${url}`);
			outgoing.writeHead(403, { 'content-type': 'application/json' });
			outgoing.end('{"error":"no entry"}');
			return;
		}
		const others = Object.entries(headers).filter(([name]) => !names.includes(name));
		const onward = request(
			new URL(url, target),
			{ method, headers: Object.fromEntries(others) },
			(answer) => {
				outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
				answer.pipe(outgoing);
			},
		);
		onward.on('error', () => outgoing.destroy());
		incoming.pipe(onward);
	});
	const url = `http://127.0.0.1:${await listen(server)}`;
	return {
		url,
		refused,
		async stop() {
			server.closeAllConnections();
			await new Promise((resolve) => server.close(resolve));
		},
	};
}
