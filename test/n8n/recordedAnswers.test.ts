import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { setImmediate as nextTurn } from 'node:timers/promises';

import { listen } from '../service/listen.ts';
import { bridgeOfFile, nodesFor, secretsOf } from './bridge.ts';
import { chatMessage } from './editor.ts';
import { itemsOf } from './execution.ts';
import { readLive, textOf } from './liveCaller.ts';
import { beginAt, chatTrigger, workflow } from './workflow.ts';

// what real agents have sent, in a chat of a real n8n: live text and output are the whole answer, and the agent is left to end its work
const bridge = bridgeOfFile();

interface Recording {
	name: string;
	contentType: string;
	body: string;
}
const recordings = readFileSync('test/unit/agent/recordings.ndjson', 'utf8')
	.split('\n')
	.flatMap((line) => (line ? [JSON.parse(line) as Recording] : []));

/** Answers every POST with a recording, an event at a time, and tells whether its reader has gone before the end. */
async function startAgent(name: string) {
	const { contentType, body } = recordings.find((recording) => recording.name === name)!;
	const ends: Array<'whole' | 'aborted'> = [];
	const server = createServer((request, response) => {
		request.resume();
		response.writeHead(200, { 'content-type': contentType });
		response.on('close', () => ends.push(response.writableFinished ? 'whole' : 'aborted'));
		void (async () => {
			for (const event of body.split(/(?<=\n)/)) {
				if (response.destroyed) return;
				response.write(event);
				await nextTurn();
			}
			response.end();
		})();
	});
	const url = `http://127.0.0.1:${await listen(server)}`;
	return { url, ends, stop: () => server.close() };
}

/** Says a message in a public chat to an agent that answers with a recording. */
async function chatWith(name: string) {
	const agent = await startAgent(name);
	const { data, ...secret } = secretsOf(bridge.service).agent;
	const baseUrl = String(data['baseUrl']).replace(bridge.service.url, agent.url);
	const account = await bridge.editor.createCredential({ ...secret, data: { ...data, baseUrl } });
	const path = randomUUID();
	const node = nodesFor({ ...bridge.accounts, agent: account }).agent(
		'Agent',
		['message', 'send'],
		{
			message: '={{ $json.chatInput }}',
		},
	);
	const file = beginAt(workflow('recorded', [], node), chatTrigger(path, 'streaming'));
	const { id } = await bridge.editor.publish(file);
	const live = textOf(
		await readLive(`${bridge.editor.url}/webhook/${path}/chat`, chatMessage('hi')),
	);
	const [item] = itemsOf(await bridge.editor.finishedOf(id), 'Agent');
	agent.stop();
	return { live, json: item?.json ?? {}, ends: agent.ends };
}

it('an agent of TanStack AI with a tool is read to its end, in a chat', async () => {
	const { live, json, ends } = await chatWith('tanstack-ai-0.58.0-sse-toolFail');
	expect(json).toMatchObject({ complete: true, dialect: 'AG-UI' });
	expect(live.split(/\s*\n\s*/)).toEqual([
		'Let me look that up.',
		'It is 21 °C in Paris, and sunny.',
	]);
	expect(json['output']).toBe(live);
	expect(ends).toEqual(['whole']);
});

it('an agent that waits for an approval says what for, in a chat', async () => {
	const { live, json, ends } = await chatWith('ai-uistream-7.0.173-new-approval');
	expect(json).toMatchObject({ complete: true, output: live });
	expect(live).toMatch(/weather/);
	expect(ends).toEqual(['whole']);
});
