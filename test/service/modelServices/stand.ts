import {
	createServer,
	type IncomingHttpHeaders,
	type IncomingMessage,
	type ServerResponse,
} from 'node:http';
import { text } from 'node:stream/consumers';

import { listen } from '../listen.ts';
import { answerOf } from './answer.ts';
import { bodyOf, chatRequest, type Body } from './chatRequest.ts';
import { refusalOf } from './refuse.ts';
import { bare, json, replyOf, type Reply } from './reply.ts';
import type { KeyPlace, Row, Stated } from './row.ts';

/** The key that all stand-ins take. */
export const KEY = ['sk', 'stand', 'in', '0123456789abcdef'].join('-');

/** A request as a stand-in received it. */
export interface AskedRequest {
	method: string;
	/** Without the query. */
	path: string;
	headers: IncomingHttpHeaders;
	/** The body as JSON; undefined where there is none, or none that can be read. */
	body: Body | undefined;
	/** The status that was answered. */
	status: number;
}

export interface Standing {
	/** The address without a path. */
	url: string;
	/** The address that a user of the service would enter. */
	baseUrl: string;
	row: Row;
	/** The right key; empty where the server asks for none. */
	key: string;
	/** All requests, the first one first. */
	asked: readonly AskedRequest[];
	/** Answers by a changed row from now on. @returns what undoes the change */
	breakWith(change: Partial<Row>): () => void;
	stop(): Promise<void>;
}

/** Starts a server on loopback that answers as the service of the row does. */
export async function standIn(row: Row): Promise<Standing> {
	const asked: AskedRequest[] = [];
	let change: Partial<Row> = {};
	const server = createServer((request, response) => {
		serve(request, response, { ...row, ...change }, asked).catch((error: unknown) => {
			response.writeHead(500).end(`stand-in: ${String(error)}`);
		});
	});
	const url = `http://127.0.0.1:${await listen(server)}`;
	return {
		url,
		baseUrl: url + row.base,
		row,
		key: row.keys.length > 0 ? KEY : '',
		asked,
		breakWith(changed) {
			change = changed;
			return () => (change = {});
		},
		async stop() {
			const closed = new Promise((resolve) => server.close(resolve));
			server.closeAllConnections();
			await closed;
		},
	};
}

async function serve(
	request: IncomingMessage,
	response: ServerResponse,
	row: Row,
	asked: AskedRequest[],
) {
	const call: AskedRequest = {
		method: request.method ?? '',
		path: (request.url ?? '/').split('?')[0] ?? '/',
		headers: request.headers,
		body: parsed(await text(request)),
		status: 0,
	};
	asked.push(call);
	const reply = replyTo(row, call);
	call.status = reply.status;
	response.writeHead(reply.status, reply.headers);
	for (const piece of reply.pieces) response.write(piece);
	response.end();
}

/** The answer of a service to a request. */
function replyTo(row: Row, call: AskedRequest): Reply {
	const found = call.method === 'GET' ? row.gets[call.path] : undefined;
	const isChat = call.method === 'POST' && call.path === row.chat;
	if (found === undefined && !isChat) {
		return replyOf(row.errors.unknownPath ?? bare(404), { method: call.method, path: call.path });
	}
	if (found !== undefined) return getReply(row, call, found);
	if (!hasKey(row.keys, call.headers)) return wrongKey(row, row.errors.wrongKey, call.headers);
	if (!call.body) return replyOf(bare(400), {});
	const chat = chatRequest(call.body);
	return refusalOf(row, chat) ?? answerOf(row, chat);
}

/** The answer to a GET of a path that the service has. */
function getReply(row: Row, call: AskedRequest, found: unknown): Reply {
	const { errors, elsewhere } = row;
	const isOpen = row.open.includes(call.path);
	if (!isOpen && !hasKey(elsewhere?.keys ?? row.keys, call.headers)) {
		return wrongKey(row, errors.wrongKeyElsewhere ?? errors.wrongKey, call.headers);
	}
	const missing = elsewhere?.needs.find((header) => !call.headers[header]);
	if (missing !== undefined) return replyOf(errors.missingHeader ?? bare(400), { header: missing });
	if (call.path === row.models && row.catalogIsDown) {
		return replyOf(errors.catalogFails ?? bare(500), {});
	}
	return json(found);
}

const hasKey = (places: readonly KeyPlace[], headers: IncomingHttpHeaders) =>
	places.length === 0 || places.some(({ header, prefix }) => headers[header] === prefix + KEY);

function wrongKey(row: Row, stated: Stated | undefined, headers: IncomingHttpHeaders): Reply {
	const sent = row.keys
		.map(({ header, prefix }) => String(headers[header] ?? '').replace(prefix, ''))
		.find((key) => key !== '');
	const key = sent ?? '';
	return replyOf(stated ?? bare(401), {
		key,
		keyEnd: key.slice(-4),
		keyEnds: `${key.slice(0, 2)}***${key.slice(-2)}`,
	});
}

function parsed(body: string): Body | undefined {
	try {
		return body ? bodyOf(JSON.parse(body)) : undefined;
	} catch {
		return undefined;
	}
}
