import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';

import { readLive } from './live';
import { sharedNow, timeMark, timesIn } from './timeMark';

let server: Server | undefined;
afterEach(() => void server?.close());

async function answering(answer: (response: ServerResponse) => void): Promise<string> {
	const own = createServer((_request, response) => answer(response));
	server = own;
	await new Promise<void>((resolve) => own.listen(0, '127.0.0.1', resolve));
	return `http://127.0.0.1:${(own.address() as AddressInfo).port}`;
}

it('a mark tells when it was written', () => {
	const before = sharedNow();
	const [time = 0, ...others] = timesIn(`a ${timeMark()} <b> <1.5>`);
	expect(time).toBeGreaterThanOrEqual(before);
	expect(time).toBeLessThanOrEqual(sharedNow());
	expect(others).toEqual([1.5]);
});

it('takes the time of each piece, also of one that comes in two', async () => {
	const marks = [timeMark(), timeMark()];
	const url = await answering((response) => {
		response.write(`{"begin":1}\n{"a":"${marks[0]}"}\n{"b":"${marks[1]?.slice(0, 4)}`);
		setTimeout(() => response.end(`${marks[1]?.slice(4)}"}\n`), 20);
	});
	const { first, lags } = await readLive(url, '{}', 'identity');
	expect(lags).toHaveLength(2);
	expect(Math.min(...lags, first ?? -1)).toBeGreaterThan(0);
});

it('reads what is compressed, and refuses what is not', async () => {
	const text = `${timeMark()}\n`.repeat(3);
	const url = await answering((response) => {
		response.setHeader('content-encoding', 'gzip').end(gzipSync(text));
	});
	expect(await readLive(url, '{}', 'gzip')).toMatchObject({ length: text.length });
	await expect(readLive(url, '{}', 'identity')).rejects.toThrow('answered in gzip, not identity');
});

it('says what a service refused', async () => {
	const url = await answering((response) => void response.writeHead(404).end('no such path'));
	await expect(readLive(url, '{}', 'gzip')).rejects.toThrow('answered 404: no such path');
});
