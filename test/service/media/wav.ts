const RATE = 8000;

/** A tenth of a second of a tone, 16 bit mono, with a comment. */
export function wav(note: string): Buffer {
	const samples = Buffer.alloc(RATE / 5);
	for (let at = 0; at < samples.length / 2; at++) {
		samples.writeInt16LE(Math.round(8000 * Math.sin((at * 2 * Math.PI * 440) / RATE)), at * 2);
	}
	const format = Buffer.alloc(16);
	format.writeUInt16LE(1, 0);
	format.writeUInt16LE(1, 2);
	format.writeUInt32LE(RATE, 4);
	format.writeUInt32LE(RATE * 2, 8);
	format.writeUInt16LE(2, 12);
	format.writeUInt16LE(16, 14);
	const comment = Buffer.concat([Buffer.from('INFO'), chunk('ICMT', Buffer.from(`${note}\0`))]);
	const parts = [chunk('fmt ', format), chunk('LIST', comment), chunk('data', samples)];
	return chunk('RIFF', Buffer.concat([Buffer.from('WAVE'), ...parts]));
}

/** A RIFF chunk; its content is filled up to an even length. */
function chunk(name: string, content: Buffer): Buffer {
	const head = Buffer.alloc(8);
	head.write(name);
	head.writeUInt32LE(content.length, 4);
	return Buffer.concat([head, content, Buffer.alloc(content.length % 2)]);
}
