// Measures, on Node 24 with everything installed: `node scripts/measure.mjs <tarball> [rounds]`. Method: one execution is
// Webhook -> Split Out -> the node measured, nothing saved; wall is the webhook's answer, CPU is n8n's process from
// /proc. The ways to do a job take turns, and each job is done once before it is measured. The reference service is a
// process of its own, on http: on https every request of n8n's helper pays a TLS handshake more, ours and HTTP Request's alike.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { request } from 'node:http';
import { cpus } from 'node:os';
import { createInterface } from 'node:readline';
import { createParser } from 'eventsource-parser';
import { Pool } from 'undici';
import { startInstance } from '../test/n8n/instance.ts';

const [tarball, rounds = '5'] = process.argv.slice(2);
const model = 'northwind/quill-2.5';

const service = await startServiceProcess();
let instance;
try {
	instance = await startInstance({ tarball, env: { EXECUTIONS_DATA_SAVE_ON_SUCCESS: 'none' } });
	const jobs = [await manyItems(1000), await longAnswer(10_000)];
	console.log(
		`\n${cpus().length} cores, Node ${process.versions.node}, ${rounds} rounds; wall and CPU in ms, smallest / median\n`,
	);
	for (const job of jobs) print(job.title, await measureInTurns(job.ways));
} finally {
	await instance?.remove();
	service.child.kill('SIGTERM');
}

async function startServiceProcess() {
	const child = spawn(process.execPath, [...process.execArgv, 'test/service/main.ts', '--json'], {
		stdio: ['ignore', 'pipe', 'inherit'],
	});
	const [line] = await once(createInterface({ input: child.stdout }), 'line');
	const { url, router } = JSON.parse(line);
	return { child, url, key: router.keys.main };
}

/** Many small chats: what one item costs. */
async function manyItems(count) {
	const items = Array.from({ length: count }, (_, index) => ({ text: `question ${index}` }));
	const ours = await publish('ours', items, bridgeNode({ concurrency: 20 }));
	const http = await publish('http', items, httpNode({ stream: false }));
	return {
		title: `${count} items, one short chat each`,
		ways: {
			'raw undici, 20 at once, streamed': async () => {
				const pool = new Pool(service.url, { connections: 20 });
				let next = 0;
				const worker = async () => {
					for (let item = items[next++]; item; item = items[next++]) {
						const { body } = await pool.request({ ...chatRequest(item.text, true) });
						await body.text();
					}
				};
				await Promise.all(Array.from({ length: 20 }, worker));
				await pool.close();
			},
			'Model Router, 20 at once': ours,
			'HTTP Request with Header Auth': http,
		},
	};
}

/** One answer of many events: what an event costs. */
async function longAnswer(words) {
	const items = [{ text: `[[words:${words}]]` }];
	const ours = await publish('ours-long', items, bridgeNode({}));
	const http = await publish('http-long', items, httpNode({ stream: true }));
	return {
		title: `One answer of ${words} events`,
		ways: {
			'raw node:http, eventsource-parser, JSON.parse': async () => {
				const { path, ...options } = chatRequest(items[0].text, true);
				const sent = request(service.url + path, options);
				sent.end(options.body);
				const [response] = await once(sent, 'response');
				let events = 0;
				const parser = createParser({
					onEvent({ data }) {
						if (data !== '[DONE]') JSON.parse(data);
						events++;
					},
				});
				for await (const chunk of response.setEncoding('utf8')) parser.feed(chunk);
				if (events < words) throw new Error(`only ${events} events came`);
			},
			'Model Router': ours,
			'HTTP Request, answer as text': http,
		},
	};
}

const chatRequest = (text, stream) => ({
	method: 'POST',
	path: '/v1/chat/completions',
	headers: { 'content-type': 'application/json', 'x-api-key': service.key },
	body: JSON.stringify({
		model,
		messages: [{ role: 'user', content: text }],
		max_tokens: 20_000,
		stream,
	}),
});

const bridgeNode = (requestSettings) => async (editor) => {
	const credential = await editor.createCredential({
		name: 'Router',
		type: 'modelRouterApi',
		data: { baseUrl: service.url, apiKey: service.key },
	});
	return {
		type: 'n8n-nodes-agent-bridge.modelRouter',
		typeVersion: 1,
		parameters: {
			resource: 'chat',
			operation: 'complete',
			model: { __rl: true, mode: 'id', value: model },
			messages: { message: [{ role: 'user', content: '={{ $json.text }}' }] },
			options: { max_tokens: 20_000 },
			requestSettings,
		},
		credentials: { modelRouterApi: { id: credential.id, name: credential.name } },
	};
};

/** n8n's own way, with a credential of the same kind and one expression, too. */
const httpNode =
	({ stream }) =>
	async (editor) => {
		const credential = await editor.createCredential({
			name: 'Header',
			type: 'httpHeaderAuth',
			data: { name: 'X-API-KEY', value: service.key },
		});
		const body = JSON.stringify({
			model,
			messages: [{ role: 'user', content: 'TEXT' }],
			max_tokens: 20_000,
			stream,
		});
		return {
			type: 'n8n-nodes-base.httpRequest',
			typeVersion: 4.2,
			parameters: {
				method: 'POST',
				url: `${service.url}/v1/chat/completions`,
				authentication: 'genericCredentialType',
				genericAuthType: 'httpHeaderAuth',
				sendBody: true,
				specifyBody: 'json',
				jsonBody: `=${body.replace('TEXT', '{{ $json.text }}')}`,
				options: stream ? { response: { response: { responseFormat: 'text' } } } : {},
			},
			credentials: { httpHeaderAuth: { id: credential.id, name: credential.name } },
		};
	};

/** Publishes a workflow and returns one execution of it. */
async function publish(path, items, makeNode) {
	const { editor } = instance;
	const nodes = [
		{
			type: 'n8n-nodes-base.webhook',
			typeVersion: 2,
			webhookId: path,
			parameters: { path, httpMethod: 'POST', responseMode: 'lastNode' },
		},
		{
			type: 'n8n-nodes-base.splitOut',
			typeVersion: 1,
			parameters: { fieldToSplitOut: 'body.items', options: {} },
		},
		await makeNode(editor),
	].map((node, index) => ({
		id: `${index}`,
		name: `Node ${index}`,
		position: [index * 200, 0],
		...node,
	}));
	const saved = await editor.importWorkflow({
		name: path,
		nodes,
		connections: {
			'Node 0': { main: [[{ node: 'Node 1', type: 'main', index: 0 }]] },
			'Node 1': { main: [[{ node: 'Node 2', type: 'main', index: 0 }]] },
		},
		settings: { executionOrder: 'v1', saveDataSuccessExecution: 'none' },
	});
	await editor.activate(saved);
	return async () => {
		const { status, body } = await editor.webhook(path, { items });
		if (status !== 200)
			throw new Error(`${path} answered ${status}: ${JSON.stringify(body).slice(0, 300)}`);
	};
}

async function measureInTurns(ways) {
	const results = Object.fromEntries(Object.keys(ways).map((name) => [name, []]));
	for (let round = 0; round <= Number(rounds); round++) {
		for (const [name, way] of Object.entries(ways)) {
			await fetch(`${service.url}/_control/reset`, { method: 'POST' });
			const [started, cpu] = [performance.now(), cpuOf(name)];
			await way();
			// the first one warms up
			if (round > 0)
				results[name].push({ wall: performance.now() - started, cpu: cpuOf(name) - cpu });
		}
	}
	return results;
}

/** Milliseconds of CPU of the process that does the work: n8n's, or for the raw way this one. */
function cpuOf(name) {
	if (name.startsWith('raw')) {
		const { user, system } = process.cpuUsage();
		return (user + system) / 1000;
	}
	try {
		const fields = readFileSync(`/proc/${instance.pid}/stat`, 'utf8').split(') ').pop().split(' ');
		return (Number(fields[11]) + Number(fields[12])) * 10;
	} catch {
		return NaN;
	}
}

function print(title, results) {
	const sorted = (name, field) => results[name].map((each) => each[field]).sort((a, b) => a - b);
	const pair = (values) =>
		`${values[0].toFixed(0)} / ${values[Math.floor(values.length / 2)].toFixed(0)}`;
	const [raw, , peer] = Object.keys(results);
	const ratio = (name, other) => (sorted(name, 'wall')[0] / sorted(other, 'wall')[0]).toFixed(2);
	const rows = Object.keys(results).map((name) => [
		name,
		pair(sorted(name, 'wall')),
		pair(sorted(name, 'cpu')),
		ratio(name, raw),
		ratio(name, peer),
	]);
	const lines = [[title, 'wall', 'CPU', 'x raw', 'x HTTP Request'], ...rows];
	const widths = lines[0].map((_, column) => Math.max(...lines.map((line) => line[column].length)));
	for (const line of lines) {
		console.log(
			line
				.map((text, column) =>
					column ? text.padStart(widths[column]) : text.padEnd(widths[column]),
				)
				.join('   '),
		);
	}
	console.log('');
}
