// The service of the benchmark, in a process of its own. It does next to nothing, so that it is never the limit: the
// reference service keeps every request and prices every answer.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { request as send } from 'undici';
import { answersOf, type Answer } from './answers.ts';
import { imageJobs, type JobCounts } from './jobs.ts';

export interface LeanService {
	url: string;
	pid: number;
	/** @param message `end` for all image jobs, or how many there are from now on */
	counts(message?: 'end' | { jobs: number }): Promise<JobCounts>;
	stop(): Promise<void>;
}

/** Starts the service; it ends with this process, however this one ends. */
export async function startLeanService(deltas: number): Promise<LeanService> {
	const flags = ['--disable-warning=MODULE_TYPELESS_PACKAGE_JSON'];
	const child = spawn(process.execPath, [...flags, import.meta.filename, String(deltas)], {
		stdio: ['pipe', 'pipe', 'inherit'],
		// Ctrl-C is for the benchmark, which ends it
		detached: true,
	});
	const exit = once(child, 'exit');
	const ended = exit.then(() => Promise.reject(new Error('the lean service ended at once')));
	ended.catch(() => undefined);
	const [port] = (await Promise.race([once(child.stdout, 'data'), ended])) as [Buffer];
	const url = `http://127.0.0.1:${String(port).trim()}`;
	return {
		url,
		pid: child.pid ?? 0,
		async counts(message = undefined) {
			const told = message === 'end' ? 'end' : message && `jobs=${message.jobs}`;
			return (await (await send(`${url}/_counts?${told ?? ''}`)).body.json()) as JobCounts;
		},
		async stop() {
			child.stdin.end();
			await exit;
		},
	};
}

/** Runs as a process: tells its port, and ends with the owner of its input. */
function serve(deltas: number) {
	const [answers, jobs] = [answersOf(deltas), imageJobs()];
	const take = (request: IncomingMessage, response: ServerResponse, url: string) => {
		if (url.startsWith('/_counts')) {
			jobs.tell(new URL(url, 'http://bench').searchParams);
			return void response.end(JSON.stringify(jobs.counts()));
		}
		let body = '';
		request.setEncoding('latin1').on('data', (text: string) => (body += text));
		request.on('end', () => {
			const answer: Answer = jobs.answer(request.method ?? '', url) ?? answers(url, body);
			void sendAnswer(response, answer);
		});
	};
	const server = createServer((request, response) => take(request, response, request.url ?? ''));
	server.listen(0, '127.0.0.1', () => {
		const address = server.address();
		if (address instanceof Object) process.stdout.write(`${address.port}\n`);
	});
	process.stdin.resume().on('end', () => process.exit(0));
}

async function sendAnswer(response: ServerResponse, answer: Answer) {
	if ('wire' in answer) return void response.socket?.end(answer.wire);
	const length = 'file' in answer && { 'content-length': answer.file };
	response.writeHead(200, { 'content-type': answer.type ?? 'application/json', ...length });
	if ('pieces' in answer) await sendPaced(response, answer.pieces, answer.every);
	else if ('file' in answer) await sendFile(response, answer.file);
	response.end('body' in answer ? answer.body : undefined);
}

/** The first piece at once, and each one at its time, whenever the one before it was sent. */
async function sendPaced(response: ServerResponse, pieces: Array<() => string>, every: number) {
	const started = performance.now();
	for (const [index, piece] of pieces.entries()) {
		const wait = started + index * every - performance.now();
		if (wait > 0) await new Promise((later) => setTimeout(later, wait));
		response.write(piece());
	}
}

/** Bytes that begin as a video does, as fast as they are taken. */
async function sendFile(response: ServerResponse, bytes: number) {
	const piece = Buffer.alloc(65_536);
	const first = Buffer.from(piece);
	first.write('\0\0\0\u0018ftypmp42\0\0\0\0mp42isom', 'latin1');
	for (let left = bytes; left > 0; left -= piece.length) {
		const next = (left === bytes ? first : piece).subarray(0, left);
		if (!response.write(next) && !response.destroyed) await once(response, 'drain');
	}
}

if (process.argv[1] === import.meta.filename) serve(Number(process.argv[2]));
