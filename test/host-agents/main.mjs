// Agents of several frameworks, each with its own server. Those that the Remote Agent can ask are asked by it. The others are behind an
// address of a workspace: its message becomes the framework's own request, and the framework's own answer is passed on as it comes,
// byte by byte.
import { subscribe } from 'node:diagnostics_channel';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { Readable } from 'node:stream';
import { json } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';

import { a2a } from './a2a.mjs';
import { a2a03 } from './a2a03.mjs';
import { agUi } from './agUi.mjs';
import { aiSdk } from './aiSdk.mjs';
import { startLangGraph } from './langGraph.mjs';
import { allowWord, endWords } from './script.mjs';

/** @param {import('node:http').Server} server */
async function start(server) {
	await once(server.listen(0, '127.0.0.1'), 'listening');
	return `http://127.0.0.1:${server.address().port}`;
}

const [agUiUrl, aiSdkUrl, a2aUrl, a2a03Url, langGraphUrl] = [
	await start(agUi),
	await start(aiSdk),
	await start(a2a),
	await start(a2a03),
	await startLangGraph(),
];

/** The requests of those behind an address of a workspace, for a message in a session. */
const behind = {
	'ai-sdk': (id, text) => ({
		url: aiSdkUrl,
		body: {
			id,
			message: { id: crypto.randomUUID(), role: 'user', parts: [{ type: 'text', text }] },
		},
	}),
	'a2a-rest': (contextId, text) => ({
		url: `${a2aUrl}/rest/message:stream`,
		headers: { 'a2a-version': '1.0' },
		body: {
			message: {
				messageId: crypto.randomUUID(),
				contextId,
				role: 'ROLE_USER',
				parts: [{ text }],
			},
		},
	}),
	'langgraph-values': (sessionId, content) => ({
		url: `${langGraphUrl}/threads/${sessionId}/runs/stream`,
		headers: { 'x-api-key': 'key' },
		body: {
			assistant_id: 'agent',
			if_not_exists: 'create',
			stream_mode: ['values', 'messages-tuple'],
			input: { messages: [{ role: 'user', content }] },
		},
	}),
};

/** The connections of the agents, so that they can break. */
const connections = new Set();
subscribe('http.server.request.start', ({ socket, server: of }) => {
	if (of === server) return;
	connections.add(socket);
	socket.once('close', () => connections.delete(socket));
});

const server = createServer(async (request, response) => {
	const [, agent, , sessionId] = request.url.split('/');
	if (agent === 'allow' || agent === 'cut') {
		if (agent === 'allow') allowWord();
		else {
			for (const connection of connections) connection.destroy();
			endWords();
		}
		response.end();
		return;
	}
	const { content } = await json(request);
	const { url, headers, body } = behind[agent](sessionId, content);
	const answer = await fetch(url, {
		method: 'POST',
		headers: { 'content-type': 'application/json', ...headers },
		body: JSON.stringify(body),
	});
	response.writeHead(answer.status, { 'content-type': answer.headers.get('content-type') });
	await pipeline(Readable.fromWeb(answer.body), response).catch(() => {});
});

const url = await start(server);
const urls = {
	a2a: a2aUrl,
	a2a03: a2a03Url,
	agUi: agUiUrl,
	aiSdk: aiSdkUrl,
	langGraph: langGraphUrl,
	script: url,
};
for (const agent in behind) urls[agent] = `${url}/${agent}`;
console.log(`The agents are at ${JSON.stringify(urls)}`);
