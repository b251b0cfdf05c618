import { request } from 'undici';
import { createGunzip } from 'node:zlib';

/** Milliseconds of a clock that all processes of the machine share. */
export const sharedNow = (): number => Number(process.hrtime.bigint() / 1000n) / 1000;

/** A piece of text that tells when it was written. */
export const timeMark = (): string => `<${sharedNow()}>`;

/** When the pieces in a text were written. */
const timesIn = (text: string) =>
	Array.from(text.matchAll(/<(\d+(?:\.\d+)?)>/g), ([, time]) => Number(time));

/** What a reader of a live answer sees. */
export interface Reading {
	/** Characters that came in all. */
	length: number;
	/** Milliseconds from the question to the first piece; undefined where no piece tells its time. */
	first: number | undefined;
	/** Milliseconds from the writing of each piece to its arrival. */
	lags: number[];
}

/** Asks, and reads the answer line by line as it comes. Server-sent events and n8n's live output both come in lines. */
export async function readLive(
	url: string,
	body: string,
	encoding: 'identity' | 'gzip',
): Promise<Reading> {
	const headers = { 'content-type': 'application/json', 'accept-encoding': encoding };
	const asked = sharedNow();
	const answer = await request(url, { method: 'POST', headers, body });
	if (answer.statusCode !== 200) {
		const text = await answer.body.text();
		throw new Error(`${url} answered ${answer.statusCode}: ${text.slice(0, 300)}`);
	}
	const given = answer.headers['content-encoding'] ?? 'identity';
	if (given !== encoding) throw new Error(`${url} answered in ${String(given)}, not ${encoding}`);
	const reading: Reading = { length: 0, first: undefined, lags: [] };
	let rest = '';
	const take = (text: string) => {
		const now = sharedNow();
		reading.length += text.length;
		const lines = (rest + text).split('\n');
		rest = lines.pop() ?? '';
		for (const time of lines.flatMap(timesIn)) {
			reading.first ??= now - asked;
			reading.lags.push(now - time);
		}
	};
	const plain = encoding === 'gzip' ? answer.body.pipe(createGunzip()) : answer.body;
	plain.setEncoding('utf8').on('data', take);
	await new Promise((resolve, reject) => {
		plain.once('end', resolve).once('error', reject);
		answer.body.once('error', reject);
	});
	return reading;
}
