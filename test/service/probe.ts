import { connect } from 'node:net';

import axios, { type AxiosInstance } from 'axios';

/** An HTTP client that takes every status, follows nothing and knows no proxy. */
export const client = (baseURL: string, headers: Record<string, string> = {}): AxiosInstance =>
	axios.create({
		baseURL,
		headers,
		proxy: false,
		maxRedirects: 0,
		validateStatus: () => true,
	});

/** What a bare socket saw of one request. */
export interface Seen {
	head: string;
	/** After the head, chunk sizes included. */
	body: string;
	/** How the connection ended. */
	end: 'fin' | 'reset';
}

export interface Probe {
	method?: string;
	headers?: Record<string, string>;
	body?: unknown;
}

/** Sends one request over a bare socket and waits for the connection to end. */
export async function probe(url: string, options: Probe = {}): Promise<Seen> {
	const { hostname, port, pathname, search } = new URL(url);
	const body = options.body === undefined ? '' : JSON.stringify(options.body);
	const head = [
		`${options.method ?? (body ? 'POST' : 'GET')} ${pathname}${search} HTTP/1.1`,
		`host: ${hostname}`,
		'connection: close',
		...(body
			? ['content-type: application/json', `content-length: ${Buffer.byteLength(body)}`]
			: []),
		...Object.entries(options.headers ?? {}).map(([name, value]) => `${name}: ${value}`),
	];
	return await new Promise((resolve) => {
		const socket = connect({ host: '127.0.0.1', port: Number(port) });
		let text = '';
		const done = (end: Seen['end']) => {
			socket.destroy();
			const at = text.indexOf('\r\n\r\n');
			const split = at < 0 ? text.length : at;
			resolve({ head: text.slice(0, split), body: text.slice(split + 4), end });
		};
		// as Latin-1, so that each byte is one character
		socket.on('data', (part: Buffer) => (text += part.toString('latin1')));
		socket.on('end', () => done('fin'));
		socket.on('error', () => done('reset'));
		socket.write(`${head.join('\r\n')}\r\n\r\n${body}`);
	});
}

/** The events of a stream as written: name (if any) and data. */
export function eventsIn(body: string): Array<{ event?: string; data?: string }> {
	return body
		.split('\n\n')
		.filter((block) => block)
		.map((block) =>
			Object.fromEntries(
				block.split('\n').map((line) => {
					const at = line.indexOf(': ');
					return [line.slice(0, at), line.slice(at + 2)];
				}),
			),
		);
}
