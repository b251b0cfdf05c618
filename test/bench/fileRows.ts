import { createWriteStream, mkdtempSync, rmSync } from 'node:fs';
import { Agent, request, type IncomingMessage } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import type { WorkflowNode } from '../n8n/workflow.ts';
import type { Nodes } from './nodesUnderTest.ts';
import { call, raw, type Row } from './row.ts';
import type { Sizes } from './rows.ts';
import { benchWorkflow, bodyWith } from './workflows.ts';

/** A large file of a media job, into n8n's store. */
export function fileRows(n8n: string, service: string, nodes: Nodes, { file }: Sizes): Row[] {
	return [
		raw('file', 'raw http', async () => await rawFile(service, file)),
		raw('file', 'raw http to a file', async () => await rawFileToDisk(service, file)),
		storedInN8n(n8n, 'ours: download', nodes.oursDownload(), file),
		storedInN8n(n8n, 'HTTP Request + header auth', nodes.httpRequestFile(), file),
	];
}

const bodyFor = (bytes: number) => bodyWith([`file-${bytes}`]);

function storedInN8n(n8n: string, name: string, tested: WorkflowNode, bytes: number): Row {
	const path = `file-${name}`.replace(/\W+/g, '-');
	return {
		job: 'file',
		name,
		of: 'n8n',
		times: 1,
		once: false,
		async prepare(editor) {
			const workflow = benchWorkflow(path, tested, { file: true });
			await editor.activate(await editor.importWorkflow(workflow));
		},
		async check() {
			const stored = await countedBytes(`${n8n}/webhook/${path}-check`, bodyFor(bytes));
			if (stored !== bytes) throw new Error(`${name}: ${stored} of ${bytes} bytes were stored`);
		},
		run: async () => void (await call(`${n8n}/webhook/${path}`, bodyFor(bytes))),
	};
}

async function countedBytes(url: string, body: string): Promise<number> {
	const headers = { 'content-type': 'application/json' };
	const answer = await fetch(url, { method: 'POST', headers, body });
	let count = 0;
	for await (const piece of answer.body ?? []) count += piece.length;
	return count;
}

async function rawFile(url: string, bytes: number): Promise<void> {
	let count = 0;
	for await (const piece of await opened(url, bytes)) count += (piece as Buffer).length;
	if (count !== bytes) throw new Error(`${count} of ${bytes} bytes`);
}

async function rawFileToDisk(url: string, bytes: number): Promise<void> {
	const folder = mkdtempSync(join(tmpdir(), 'file-'));
	try {
		await pipeline(await opened(url, bytes), createWriteStream(join(folder, 'file')));
	} finally {
		rmSync(folder, { recursive: true });
	}
}

async function opened(url: string, bytes: number): Promise<IncomingMessage> {
	return await new Promise((resolve, reject) => {
		const address = `${url}/v1/videos/jobs/file-${bytes}/content`;
		request(address, { agent: new Agent() }, resolve).once('error', reject).end();
	});
}
