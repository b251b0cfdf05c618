import { createServer, type Server, type ServerResponse } from 'node:http';
import { gzipSync } from 'node:zlib';

import { listen } from '../service/listen';
import { readLive, sharedNow, timeMark, timesIn } from './live';

let server: Server;
let answer: (response: ServerResponse) => void;
let url: string;
beforeEach(async () => {
	server = createServer((_request, response) => answer(response));
	url = `http://127.0.0.1:${await listen(server)}`;
});
afterEach(() => void server.close());

it('a mark tells when it was written', () => {
	const before = sharedNow();
	const [time = 0, ...others] = timesIn(`a ${timeMark()} <b> <1.5>`);
	expect(time).toBeGreaterThanOrEqual(before);
	expect(time).toBeLessThanOrEqual(sharedNow());
	expect(others).toEqual([1.5]);
});

it('takes the time of each piece, also of one that comes in two', async () => {
	const marks = [timeMark(), timeMark()];
	answer = (response) => {
		response.write(`{"begin":1}\n{"a":"${marks[0]}"}\n{"b":"${marks[1]?.slice(0, 4)}`);
		setTimeout(() => response.end(`${marks[1]?.slice(4)}"}\n`), 20);
	};
	const { first, lags } = await readLive(url, '{}', 'identity');
	expect(lags).toHaveLength(2);
	expect(Math.min(...lags, first ?? -1)).toBeGreaterThan(0);
});

it('reads what is compressed, and refuses what is not', async () => {
	const text = `${timeMark()}\n`.repeat(3);
	answer = (response) => void response.setHeader('content-encoding', 'gzip').end(gzipSync(text));
	expect(await readLive(url, '{}', 'gzip')).toMatchObject({ length: text.length });
	await expect(readLive(url, '{}', 'identity')).rejects.toThrow('answered in gzip, not identity');
});

it('says what a service refused', async () => {
	answer = (response) => void response.writeHead(404).end('no such path');
	await expect(readLive(url, '{}', 'gzip')).rejects.toThrow('answered 404: no such path');
});
