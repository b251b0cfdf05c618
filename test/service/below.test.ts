import { Agent } from 'node:https';

import axios from 'axios';

import { refusedUrl, startBadTls, startProxy407, startResetting, startSilent } from './below.ts';
import { client, probe } from './probe.ts';
import { startService, type Service } from './service.ts';
import { createAuthority } from './tls.ts';

const authority = createAuthority();
const trusting = (ca = authority.cert) => ({ httpsAgent: new Agent({ ca, keepAlive: false }) });
const codeOf = async (answer: Promise<unknown>) =>
	await answer.then(
		() => 'none',
		(error: unknown) => (error as { code?: string }).code,
	);

describe('HTTPS', () => {
	let service: Service;
	beforeAll(async () => (service = await startService({ https: true, authority })));
	beforeEach(() => service.reset());
	afterAll(() => service.stop());
	const headers = () => ({ 'x-api-key': service.router.keys.main });

	it('answers who trusts its CA, and nobody else', async () => {
		const get = (more: object) => client(service.httpsUrl, headers()).get('/v1/models', more);
		expect((await get(trusting(service.ca))).status).toBe(200);
		expect(await codeOf(get({}))).toBe('UNABLE_TO_VERIFY_LEAF_SIGNATURE');
	});

	it('by address as by name', async () => {
		const url = service.httpsUrl.replace('localhost', '127.0.0.1');
		expect((await client(url, headers()).get('/v1/models', trusting())).status).toBe(200);
	});

	it('http to the TLS port, https to the plain port', async () => {
		const plain = service.httpsUrl.replace('https://localhost', 'http://127.0.0.1');
		expect(await codeOf(client(plain).get('/v1/models'))).toBe('ECONNRESET');
		const secure = service.url.replace('http:', 'https:');
		expect(await codeOf(client(secure).get('/v1/models', trusting()))).toMatch(/^ERR_SSL_|^EPROTO/);
	});

	it.each([
		['reset after 5 bytes', { type: 'reset_peer', bytes: 5 } as const, 'reset'],
		['FIN after 5 bytes', { type: 'limit_data', bytes: 5 } as const, 'fin'],
	])('%s', async (_case, fault, end) => {
		service.fault({ do: fault });
		const seen = await probe(`${service.httpsUrl}/v1/models`, {
			headers: headers(),
			ca: service.ca,
		});
		expect([seen.body, seen.end]).toEqual(['{"obj', end]);
	});
});

it.each(['http', 'https'] as const)('%s: nothing listens', async (scheme) => {
	expect(await codeOf(client(await refusedUrl(scheme)).get('/'))).toBe('ECONNREFUSED');
});

it.each([
	['https', 'first bytes'],
	['https', 'connected'],
	['http', 'first bytes'],
] as const)('%s: reset when %s', async (scheme, when) => {
	const server = await startResetting({ scheme, when });
	expect(await codeOf(client(server.url).post('/', { a: 1 }))).toBe('ECONNRESET');
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

it.each([
	['self-signed', /^DEPTH_ZERO_SELF_SIGNED_CERT$/],
	['expired', /^CERT_HAS_EXPIRED$/],
	['wrong-host', /^ERR_TLS_CERT_ALTNAME_INVALID$/],
] as const)('certificate %s', async (kind, code) => {
	const server = await startBadTls(kind, authority);
	expect(await codeOf(client(server.url).post('/', {}, trusting(server.ca)))).toMatch(code);
	expect([server.connections > 0, server.requests]).toEqual([true, 0]);
	await server.stop();
});

it('a proxy that answers 407, for http and for CONNECT', async () => {
	const proxy = await startProxy407();
	const { hostname, port } = new URL(proxy.url);
	const { status } = await axios.get('http://service.example/', {
		proxy: { protocol: 'http', host: hostname, port: Number(port) },
		validateStatus: () => true,
	});
	const tunnel = await probe(proxy.url, { method: 'CONNECT' });
	expect([status, tunnel.head.split('\r\n')[0]]).toEqual([
		407,
		'HTTP/1.1 407 Proxy Authentication Required',
	]);
	expect(proxy.requests).toBe(2);
	await proxy.stop();
});
