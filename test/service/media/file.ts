import { readFileSync } from 'node:fs';
import { crc32 } from 'node:zlib';

import { readData } from '../fixture.ts';
import type { Job, MediaKind } from '../router/job.ts';

export interface MediaFile {
	bytes: Buffer;
	type: string;
	extension: string;
}

/** Which picture a prompt gets, and what there is to see in it; the first that fits. */
const PICTURES = readData<Array<{ asked: string; file: string; shows: string }>>(
	'test/service/media/pictures.json',
);

const FILES: Record<Exclude<MediaKind, 'image'>, string> = {
	video: 'beach.mp4',
	music: 'melody.mp3',
	audio: 'speech.wav',
};

const TYPES = { png: 'image/png', mp4: 'video/mp4', mp3: 'audio/mpeg', wav: 'audio/wav' };

/** A file that opens. A note in it makes the file of each job another one, of the same size. */
export function mediaFile({ kind, id, prompt }: Pick<Job, 'kind' | 'id' | 'prompt'>): MediaFile {
	const picture = PICTURES.find(({ asked }) => new RegExp(asked, 'i').test(prompt))?.file;
	const name = kind === 'image' ? `${picture}.png` : FILES[kind];
	const extension = name.slice(-3) as keyof typeof TYPES;
	const bytes = withNote[extension](readFileSync(`test/service/media/${name}`), `${name} ${id}`);
	return { bytes, type: TYPES[extension], extension };
}

/** What there is to see in a picture of ours; undefined for any other. */
export const shownIn = (png: Buffer): string | undefined =>
	PICTURES.find(({ file }) => png.includes(`Comment\0${file}.png `))?.shows;

const withNote = {
	/** A text chunk before the last one. */
	png(file: Buffer, note: string): Buffer {
		const text = Buffer.from(`tEXtComment\0${note}`);
		const chunk = Buffer.concat([u32(text.length - 4), text, u32(crc32(text))]);
		return Buffer.concat([file.subarray(0, -12), chunk, file.subarray(-12)]);
	},
	/** A box that players skip. */
	mp4: (file: Buffer, note: string): Buffer =>
		Buffer.concat([file, u32(note.length + 8), Buffer.from(`free${note}`)]),
	/** A tag of 128 bytes (ID3v1) with a title. */
	mp3: (file: Buffer, note: string): Buffer =>
		Buffer.concat([file, Buffer.from(`TAG${note}`.padEnd(128, '\0').slice(0, 128))]),
	/** A RIFF chunk that players skip; the size of the whole is in the head. */
	wav(file: Buffer, note: string): Buffer {
		const text = note.padEnd(note.length + (note.length % 2), '\0');
		const head = Buffer.from('note\0\0\0\0');
		head.writeUInt32LE(text.length, 4);
		const result = Buffer.concat([file, head, Buffer.from(text)]);
		result.writeUInt32LE(result.length - 8, 4);
		return result;
	},
};

function u32(value: number): Buffer {
	const result = Buffer.alloc(4);
	result.writeUInt32BE(value);
	return result;
}

/** The file cut or filled up with zeros to a size, a block at a time. */
export async function* padded(file: Buffer, size: number): AsyncGenerator<Buffer> {
	if (size > 0) yield file.subarray(0, size);
	const block = Buffer.alloc(65_536);
	for (let left = size - file.length; left > 0; left -= block.length) {
		yield block.subarray(0, left);
	}
}
