import { client, eventsIn } from '../probe.ts';
import type { Forms, Service } from '../service.ts';

/** One request of the contract. */
export interface Request {
	/** POST when there is a body, else GET. */
	method?: string;
	path: string;
	body?: unknown;
	/** In place of those with the right key. */
	headers?: Record<string, string>;
	/** What the specification leaves open. */
	forms?: Partial<Forms>;
	/** Requests that come first. */
	before?: Request[];
}

/** One line of the contract, with the section of the specification above it: the request, and what must be in the answer. */
export type Row = [request: Request, expected: object];

/** What comes of a request. */
export async function ask(service: Service, request: Request) {
	Object.assign(service.forms, request.forms);
	for (const each of request.before ?? []) await ask(service, each);
	const answer = await client(service.url).request<Buffer>({
		method: request.method ?? (request.body === undefined ? 'GET' : 'POST'),
		url: request.path,
		data: request.body,
		headers: {
			'content-type': 'application/json',
			...(request.headers ?? keyFor(service, request.path)),
		},
		responseType: 'arraybuffer',
	});
	await service.settled();
	const written = Buffer.from(answer.data).toString();
	const type = String(answer.headers['content-type'] ?? '');
	const body = type.includes('json') ? parsed(written) : written;
	const lines = /event-stream/.test(type) ? eventsIn(written) : [];
	const events = lines.map(({ event, data }) => ({ ...(event && { event }), data: parsed(data) }));
	const told = (body ?? {}) as Told;
	const usage = told.usage ?? {};
	const account = service.world.accounts.get(service.router.keys.main);
	return {
		status: answer.status,
		type,
		headers: answer.headers,
		body,
		events,
		/** Of an error. */
		code: told.error?.code,
		choice: told.choices?.[0],
		/** The names of the tools that it calls. */
		calls: (told.choices?.[0]?.message?.tool_calls ?? [])
			.map((call) => call.function.name)
			.join(' '),
		/** Of the prompt and of the answer. */
		tokens: [
			usage.prompt_tokens ?? usage.input_tokens,
			usage.completion_tokens ?? usage.output_tokens,
		],
		/** Of all events; of those of the responses protocol what stands behind `response.`. */
		names: events
			.map(({ event = '' }) => event.replace('response.', ''))
			.join(' ')
			.trim(),
		/** The answer, put together from its pieces; of several choices the first. */
		text: lines.length ? lines.map(({ data = '' }) => pieceOf(data)).join('') : textOf(body),
		/** What the main key of C has paid, and what is held of its balance, in µ$. */
		paid: 100_000_000 - (account?.balance ?? 0),
		held: account?.held ?? 0,
		starts: service.world.starts.length,
	};
}

function keyFor({ agent, assistant, router }: Service, path: string): Record<string, string> {
	const [, workspace] = /workspaces\/(.*?)\//.exec(path) ?? [];
	if (workspace) return { authorization: `Bearer ${agent.key(workspace)}` };
	return { 'x-api-key': path.startsWith('/v1/') ? router.keys.main : assistant.keys.enterprise };
}

function parsed(text: string | undefined): unknown {
	try {
		return JSON.parse(text ?? '');
	} catch {
		return text;
	}
}

/** Fields of an answer or an event, as far as texts are in them. */
interface Told {
	content?: string;
	answer?: string;
	t?: string;
	delta?: string;
	output?: Array<{ content?: Array<{ text?: string }> }>;
	choices?: Choice[];
	tool_calls?: Array<{ function: { name: string } }>;
	error?: { code?: string };
	usage?: Record<string, number>;
}

interface Choice {
	index: number;
	delta?: Told;
	message?: Told;
}

function pieceOf(line: string) {
	const data = parsed(line);
	if (typeof data !== 'object' || data === null)
		return ['null', '[DONE]'].includes(line) ? '' : line;
	const { content, t, delta, choices } = data as Told;
	const first = choices?.find(({ index }) => index === 0)?.delta?.content;
	return content ?? t ?? first ?? delta ?? '';
}

function textOf(body: unknown) {
	if (typeof body === 'string') return body;
	const { content, answer, output, choices } = (body ?? {}) as Told;
	const item = output?.find((each) => each.content)?.content?.[0]?.text;
	return content ?? answer ?? item ?? choices?.[0]?.message?.content ?? '';
}
