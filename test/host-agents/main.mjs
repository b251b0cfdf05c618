// Agents of several frameworks, each with its own server, behind the address that the Remote Agent posts to. Its message becomes
// the framework's own request, and the framework's own answer is passed on as it comes, byte by byte.
import { once } from 'node:events';
import { createServer } from 'node:http';
import { Readable } from 'node:stream';
import { json } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';

import { a2a } from './a2a.mjs';
import { aiSdk } from './aiSdk.mjs';
import { startLangGraph } from './langGraph.mjs';
import { allowWord } from './script.mjs';

/** @param {import('node:http').Server} server */
async function start(server) {
	await once(server.listen(0, '127.0.0.1'), 'listening');
	return `http://127.0.0.1:${server.address().port}`;
}

const [aiSdkUrl, a2aUrl, langGraphUrl] = [
	await start(aiSdk),
	await start(a2a),
	await startLangGraph(),
];

/** @param {string} sessionId @param {string} text */
const a2aMessage = (sessionId, text) => ({
	message: {
		messageId: crypto.randomUUID(),
		contextId: sessionId,
		role: 'ROLE_USER',
		parts: [{ text }],
	},
});
/** @param {...string} modes */
const langGraph =
	(...modes) =>
	(sessionId, content) => ({
		url: `${langGraphUrl}/threads/${sessionId}/runs/stream`,
		body: {
			assistant_id: 'agent',
			if_not_exists: 'create',
			stream_mode: modes,
			input: { messages: [{ role: 'user', content }] },
		},
	});

/** The request of each framework for a message in a session. */
const agents = {
	'ai-sdk': (id, text) => ({
		url: aiSdkUrl,
		body: {
			id,
			message: { id: crypto.randomUUID(), role: 'user', parts: [{ type: 'text', text }] },
		},
	}),
	'a2a-rpc': (sessionId, text) => ({
		url: `${a2aUrl}/rpc`,
		body: {
			jsonrpc: '2.0',
			id: 1,
			method: 'SendStreamingMessage',
			params: a2aMessage(sessionId, text),
		},
	}),
	'a2a-rest': (sessionId, text) => ({
		url: `${a2aUrl}/rest/message:stream`,
		body: a2aMessage(sessionId, text),
	}),
	langgraph: langGraph('messages-tuple'),
	'langgraph-values': langGraph('values', 'messages-tuple'),
};

const server = createServer(async (request, response) => {
	const [, agent, , sessionId] = request.url.split('/');
	if (agent === 'allow') {
		allowWord();
		response.end();
		return;
	}
	const { content } = await json(request);
	const { url, body } = agents[agent](sessionId, content);
	const headers = { 'content-type': 'application/json', 'a2a-version': '1.0' };
	const answer = await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) });
	response.writeHead(answer.status, { 'content-type': answer.headers.get('content-type') });
	await pipeline(Readable.fromWeb(answer.body), response).catch(() => {});
});

console.log(`The agents are at ${await start(server)}`);
