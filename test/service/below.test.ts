import { Agent } from 'node:https';

import { refusedUrl, startBadTls, startProxy407, startResetting, startSilent } from './below.ts';
import { client } from './probe.ts';
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

it('nothing listens', async () => {
	expect(await codeOf(client(await refusedUrl()).get('/'))).toBe('ECONNREFUSED');
});

it.each([
	[startResetting, 'ECONNRESET'],
	[async () => await startBadTls('self-signed', authority), 'DEPTH_ZERO_SELF_SIGNED_CERT'],
	[async () => await startBadTls('expired', authority), 'CERT_HAS_EXPIRED'],
	[async () => await startBadTls('wrong-host', authority), 'ERR_TLS_CERT_ALTNAME_INVALID'],
])('%s: %s, and no request was sent', async (start, code) => {
	const server = await start();
	expect(await codeOf(client(server.url).post('/', {}, trusting))).toBe(code);
	expect([server.connections, server.requests]).toEqual([1, 0]);
	await server.stop();
});

it('silent: no answer comes', async () => {
	const server = await startSilent();
	const left = new AbortController();
	const answer = codeOf(client(server.url).get('/', { signal: left.signal }));
	while (!server.connections) await new Promise(setImmediate);
	left.abort();
	expect(await answer).toBe('ERR_CANCELED');
	await server.stop();
});

it('a proxy that answers 407', async () => {
	const proxy = await startProxy407();
	expect((await client(proxy.url).get('/')).status).toBe(407);
	expect(proxy.requests).toBe(1);
	await proxy.stop();
});
