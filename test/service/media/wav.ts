const { round } = Math;

const RATE = 8000;

/** A tenth of a second of a tone, 16 bit mono, with a comment. */
export function wav(note: string): Buffer {
	const samples = Float64Array.from(
		{ length: RATE / 10 },
		(_, at) => (8000 / 32767) * Math.sin((at * 2 * Math.PI * 440) / RATE),
	);
	return encodeWav(samples, RATE, note);
}

/** A file of samples from -1 to 1, 16 bit mono, with a comment; `rate` is how many there are in a second. */
export function encodeWav(samples: Float64Array, rate: number, note: string): Buffer {
	const data = Buffer.alloc(samples.length * 2);
	let at = 0;
	for (const sample of samples) {
		const cut = sample > 1 ? 1 : sample < -1 ? -1 : sample;
		data.writeInt16LE(round(32767 * cut), at);
		at += 2;
	}
	const format = Buffer.alloc(16);
	format.writeUInt16LE(1, 0);
	format.writeUInt16LE(1, 2);
	format.writeUInt32LE(rate, 4);
	format.writeUInt32LE(rate * 2, 8);
	format.writeUInt16LE(2, 12);
	format.writeUInt16LE(16, 14);
	const comment = Buffer.concat([Buffer.from('INFO'), chunk('ICMT', Buffer.from(`${note}\0`))]);
	const parts = [chunk('fmt ', format), chunk('LIST', comment), chunk('data', data)];
	return chunk('RIFF', Buffer.concat([Buffer.from('WAVE'), ...parts]));
}

/** A RIFF chunk; its content is filled up to an even length. */
function chunk(name: string, content: Buffer): Buffer {
	const head = Buffer.alloc(8);
	head.write(name);
	head.writeUInt32LE(content.length, 4);
	return Buffer.concat([head, content, Buffer.alloc(content.length % 2)]);
}
