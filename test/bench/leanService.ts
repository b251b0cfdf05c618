// The service of the benchmark, in a process of its own. It does next to nothing, so that it is never the limit: the
// reference service keeps every request and prices every answer.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { answersOf, type Answers } from './answers.ts';
import { heldJobs } from './heldJobs.ts';
import { watchedJobs } from './watchedJobs.ts';

/** What happened since it was last asked. */
export interface Counts {
	requests: number;
	connections: number;
	/** Requests that were read and not yet answered, at most. */
	mostInFlight: number;
}

const fresh = (): Counts => ({ requests: 0, connections: 0, mostInFlight: 0 });

let counts = fresh();
let inFlight = 0;
const held = heldJobs();
const watched = watchedJobs();

function take(answers: Answers, request: IncomingMessage, response: ServerResponse): void {
	if (request.url === '/_counts') {
		response.end(JSON.stringify(counts));
		counts = fresh();
		return;
	}
	const told = held.control(request.url ?? '') ?? watched.control(request.url ?? '');
	if (told) return void response.end(told);
	counts.requests++;
	counts.mostInFlight = Math.max(counts.mostInFlight, ++inFlight);
	let body = '';
	request.setEncoding('latin1').on('data', (text: string) => (body += text));
	request.on('end', () => {
		const { latency, ...answer } =
			held.answer(request.method ?? '', request.url ?? '') ??
			watched.answer(request.url ?? '') ??
			answers(request.url ?? '', body);
		const send = () => {
			if ('pieces' in answer) return sendPaced(response, answer);
			if ('file' in answer) return sendFile(response, answer);
			// before the client can know of the answer and send the next
			inFlight--;
			if ('wire' in answer) response.socket?.end(answer.wire);
			else response.writeHead(200, { 'content-type': answer.type }).end(answer.body);
		};
		if (latency) setTimeout(send, latency);
		else send();
	});
}

/** The first piece at once; each one at its time, whenever the one before it was sent. */
function sendPaced(
	response: ServerResponse,
	{ type, pieces, every }: { type: string; pieces: Array<() => string>; every: number },
): void {
	const started = performance.now();
	response.writeHead(200, { 'content-type': type });
	const send = (index: number) => {
		response.write(pieces[index]?.());
		if (index === pieces.length - 1) {
			inFlight--;
			return void response.end();
		}
		setTimeout(send, started + (index + 1) * every - performance.now(), index + 1);
	};
	send(0);
}

/** Bytes that begin as a video does, as fast as they are taken. */
function sendFile(response: ServerResponse, { type, file }: { type: string; file: number }): void {
	response.writeHead(200, { 'content-type': type, 'content-length': file });
	let left = file;
	const send = () => {
		while (left > 0) {
			const piece = (left === file ? beginning : rest).subarray(0, left);
			left -= piece.length;
			if (!response.write(piece)) return void response.once('drain', send);
		}
		inFlight--;
		response.end();
	};
	send();
}

const rest = Buffer.alloc(65_536);
const beginning = Buffer.alloc(65_536);
beginning.write('\0\0\0\u0018ftypmp42\0\0\0\0mp42isom', 'latin1');

/** Runs as a process: tells its port, and ends with whoever holds its input open. */
function serve(): void {
	const answers = answersOf(Number(process.argv[2]));
	const server = createServer((request, response) => take(answers, request, response));
	server.on('connection', () => counts.connections++);
	server.listen(0, '127.0.0.1', () => {
		const address = server.address();
		if (address instanceof Object) process.stdout.write(`${address.port}\n`);
	});
	process.stdin.resume().on('end', () => process.exit(0));
}

if (process.argv[1]?.endsWith('leanService.ts')) serve();
