import { Agent } from 'node:https';

import axios from 'axios';

import { refusedUrl, startBadTls, startProxy407, startResetting, startSilent } from './below.ts';
import { client, probe } from './probe.ts';
import { startService, type Service } from './service.ts';
import { createAuthority } from './tls.ts';

// what goes wrong below HTTP
const authority = createAuthority();
let service: Service;
beforeAll(async () => (service = await startService({ https: true, authority })));
beforeEach(() => service.reset());
afterAll(() => service.stop());

const codeOf = async (answer: Promise<unknown>) =>
	await answer.then(
		() => 'none',
		(error: unknown) => (error as { code?: string }).code,
	);
const trusting = { httpsAgent: new Agent({ ca: authority.cert, keepAlive: false }) };

it('HTTPS answers who trusts its CA, and nobody else', async () => {
	const get = async (url: string, more: object = {}) =>
		await codeOf(client(url).get('/v1/models', more));
	const { httpsUrl, url } = service;
	expect([
		await get(httpsUrl, trusting),
		await get(httpsUrl.replace('localhost', '127.0.0.1'), trusting),
		await get(httpsUrl),
		await get(httpsUrl.replace('https://localhost', 'http://127.0.0.1')),
		await get(url.replace('http:', 'https:'), trusting),
	]).toEqual([
		...['none', 'none', 'UNABLE_TO_VERIFY_LEAF_SIGNATURE', 'ECONNRESET'],
		expect.stringMatching(/^ERR_SSL_|^EPROTO/),
	]);
});

it.each([
	[{ type: 'reset_peer', bytes: 5 }, 'reset'],
	[{ type: 'limit_data', bytes: 5 }, 'fin'],
] as const)('HTTPS with %j', async (fault, end) => {
	service.fault({ do: fault });
	const headers = { 'x-api-key': service.router.keys.main };
	const seen = await probe(`${service.httpsUrl}/v1/models`, { headers, ca: service.ca });
	expect([seen.body, seen.end]).toEqual(['{"obj', end]);
});

it.each(['http', 'https'] as const)('%s: nothing listens', async (scheme) => {
	expect(await codeOf(client(await refusedUrl(scheme)).get('/'))).toBe('ECONNREFUSED');
});

it.each([
	[async () => await startResetting(), 'ECONNRESET'],
	[async () => await startResetting({ when: 'connected' }), 'ECONNRESET'],
	[async () => await startResetting({ scheme: 'http' }), 'ECONNRESET'],
	[async () => await startBadTls('self-signed', authority), 'DEPTH_ZERO_SELF_SIGNED_CERT'],
	[async () => await startBadTls('expired', authority), 'CERT_HAS_EXPIRED'],
	[async () => await startBadTls('wrong-host', authority), 'ERR_TLS_CERT_ALTNAME_INVALID'],
])('%s: %s, and no request was sent', async (start, code) => {
	const server = await start();
	expect(await codeOf(client(server.url).post('/', {}, trusting))).toBe(code);
	expect([server.connections, server.requests]).toEqual([1, 0]);
	await server.stop();
});

it('silent: the handshake never ends', async () => {
	const server = await startSilent();
	const left = new AbortController();
	const answer = codeOf(client(server.url).get('/', { signal: left.signal }));
	while (!server.connections) await new Promise(setImmediate);
	left.abort();
	expect(await answer).toBe('ERR_CANCELED');
	await server.stop();
});

it('a proxy that answers 407, for http and for CONNECT', async () => {
	const proxy = await startProxy407();
	const { hostname, port } = new URL(proxy.url);
	const through = { protocol: 'http', host: hostname, port: Number(port) };
	const answer = axios.get('http://service.example/', { proxy: through });
	expect(await codeOf(answer)).toBe('ERR_BAD_REQUEST');
	expect((await probe(proxy.url, { method: 'CONNECT' })).head).toMatch(/^HTTP\/1.1 407 /);
	expect(proxy.requests).toBe(2);
	await proxy.stop();
});
