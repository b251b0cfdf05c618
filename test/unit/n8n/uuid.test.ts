import { NAMESPACE_URL, uuidV5, parseUuid } from '../../../src/n8n/uuid';

const DNS = '6ba7b810-9dad-11d1-80b4-00c04fd430c8';
const WORKSPACE = 'e89babb1-204f-5cf2-aaf1-53eb70614af7';

// figures of RFC 9562 (A.4) and of Python's uuid module
it.each([
	[DNS, 'www.example.com', '2ed6657d-e927-568b-95e1-2665a8aea6a2'],
	[NAMESPACE_URL, 'https://host.example.com/api/v1/workspaces/my-workspace', WORKSPACE],
	[WORKSPACE, 'Grüße 👋', '44511318-5577-5343-8f6d-ba9c32f3d59a'],
	[WORKSPACE, 'half \ud83d', '50b84b20-d9fa-58b2-bbf1-e05231cd3f00'],
])('in %s, %s is %s', (namespace, name, uuid) => {
	expect(uuidV5(namespace, name)).toBe(uuid);
});

it.each([
	['6F1C2B1E-8d3a-4c0e-9a55-0d2f6b7c8e90', '6F1C2B1E-8d3a-4c0e-9a55-0d2f6b7c8e90'],
	['6f1c2b1e8d3a4c0e9a550d2f6b7c8e90', '6f1c2b1e-8d3a-4c0e-9a55-0d2f6b7c8e90'],
	// no version or variant of the RFC
	['6f1c2b1e-8d3a-fc0e-ca55-0d2f6b7c8e90', '6f1c2b1e-8d3a-fc0e-ca55-0d2f6b7c8e90'],
	['6f1c2b1e8d3a4c0e9a550d2f6b7c8e9', undefined],
	['6f1c2b1e8d3a4c0e9a550d2f6b7c8e900', undefined],
	['6f1c2b1e8d3a4c0e9a550d2f6b7c8e9g', undefined],
	['6f1c2b1e-8d3a4c0e9a550d2f6b7c8e90', undefined],
	['', undefined],
])('the UUID in "%s" is %s', (text, uuid) => {
	expect(parseUuid(text)).toBe(uuid);
});
