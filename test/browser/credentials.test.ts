import { takePicture } from './pictures.ts';
import { it, newCredential, sessionOfFile } from './session.ts';
import { secretsOf } from '../n8n/bridge.ts';
import { AGENT_KEY, type AgentServers, agentServers } from '../service/agentServers.ts';

const session = sessionOfFile();

const kinds = ['agent', 'assistant', 'router'] as const;

it.each(kinds)('saves and tests a credential of the %s', async (kind) => {
	const form = await newCredential(session, kind);
	const { type, data } = secretsOf(session.bridge.service)[kind];
	const { displayName } = await session.bridge.editor.credentialType(type);
	await form.fill('apiKey', 'wrong-key-5e1f');
	const refused = await form.save();
	expect(refused.succeeded).toBe(false);
	expect(refused.text).toMatch(/key/i);
	expect(refused.text).not.toContain('wrong-key-5e1f');

	await form.fill('apiKey', String(data['apiKey']));
	expect(await form.save()).toMatchObject({ succeeded: true });
	// README's picture is of the first one in an n8n, which has no number: see firstCheck.test.ts
	if (kind !== 'router') await takePicture(`credential ${displayName}`, form.dialog);
	await form.close();
});

let servers: AgentServers;
beforeAll(async () => void (servers = await agentServers()));
afterAll(async () => await servers.stop());

it('saves and tests a credential of an agent’s server', async () => {
	const form = await session.page.newCredential('Agent Server API');
	await form.rename('Agent Server account');
	await form.choose('server', 'LangGraph');
	await form.fill('baseUrl', servers.urlOf('langGraph'));
	await form.choose('keyIn', 'Header X-API-KEY');
	await form.fill('apiKey', 'wrong-key-5e1f');
	const refused = await form.save();
	expect(refused.succeeded).toBe(false);
	expect(refused.text).toMatch(/key/i);
	expect(refused.text).not.toContain('wrong-key-5e1f');

	await form.fill('apiKey', AGENT_KEY);
	expect(await form.save()).toMatchObject({ succeeded: true });
	await takePicture('credential Agent Server API', form.dialog);
	await form.close();
});
