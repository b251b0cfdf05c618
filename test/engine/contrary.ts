import { createServer, type IncomingMessage } from 'node:http';

import { listen } from '../service/listen';
import type { Secrets } from './rig/credentials';

/** What a service answers that does as it likes. */
export interface Said {
	status?: number;
	/** Of the type of its content; nothing for none. */
	type?: string;
	headers?: Record<string, string>;
	/** Sent as they are, in pieces of their own. */
	body?: string | Buffer | Array<string | Buffer>;
}

type Say = (request: IncomingMessage, body: string) => Said | undefined;

type Contrary = Awaited<ReturnType<typeof startContrary>>;

/** For the tests of a file. */
export function contraryForTests(): Contrary {
	const service = {} as Contrary;
	beforeAll(async () => void Object.assign(service, await startContrary()));
	afterAll(async () => await service.stop());
	return service;
}

let services = 0;

/** A service without any manners of its own: each test says what is answered, to the byte. */
async function startContrary() {
	/** Method and path of what was asked, in order. */
	const asked: string[] = [];
	/** Bodies of what was posted. */
	const posted: string[] = [];
	let say: Say = () => undefined;
	const server = createServer((request, response) => {
		void request.toArray().then((chunks) => {
			const given = Buffer.concat(chunks).toString();
			asked.push(`${request.method} ${request.url}`);
			if (request.method === 'POST') posted.push(given);
			const said = say(request, given) ?? catalogOf(request);
			const { status = 200, type, headers = {}, body = '' } = said;
			response.writeHead(status, { ...(type && { 'content-type': type }), ...headers });
			for (const piece of [body].flat()) response.write(piece);
			response.end();
		});
	});
	const url = `http://127.0.0.1:${await listen(server)}`;
	// what is remembered of one account is not remembered of another
	const apiKey = `key-of-the-contrary-service-${++services}`;
	const limit = { plan: 'custom', requestsPerMinute: 60_000 };
	const secrets: Secrets = {
		workspaceAgentApi: { baseUrl: `${url}/api/v1/workspaces/w`, apiKey },
		marketAssistantApi: { baseUrl: `${url}/api/ai-assistant/v1`, apiKey, ...limit },
		modelRouterApi: { baseUrl: url, apiKey },
	};
	return {
		secrets,
		asked,
		posted,
		answer(next: Say) {
			say = next;
			asked.length = posted.length = 0;
		},
		async stop() {
			server.closeAllConnections();
			await new Promise((resolve) => server.close(resolve));
		},
	};
}

/** Only the prices of what is asked: the nodes send nothing whose cost they do not know. */
const CATALOG = [
	{ id: 'northwind/quill-2.5', pricing: { input_per_mtok: 0.5, output_per_mtok: 1.5 } },
	{ id: 'canvas/sketch-1', pricing: { unit: 'image', per_unit: 0.04 } },
];

/** Nobody waits for the catalog. */
const catalogOf = ({ url = '' }: IncomingMessage): Said =>
	url.startsWith('/v1/models')
		? { type: 'application/json', body: JSON.stringify({ data: CATALOG }) }
		: { status: 404, type: 'application/json', body: '{"message":"no such path"}' };
