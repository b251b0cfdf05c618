import type { MediaKind } from '../router/job.ts';
import { mp3 } from './mp3.ts';
import { mp4 } from './mp4.ts';
import { png } from './png.ts';
import { wav } from './wav.ts';

export interface MediaFile {
	bytes: Buffer;
	type: string;
	extension: string;
}

/** A small file that really opens; the note in it makes each job's file another one. */
export function mediaFile(kind: MediaKind, note: string): MediaFile {
	switch (kind) {
		case 'image':
			return { bytes: png(note), type: 'image/png', extension: 'png' };
		case 'video':
			return { bytes: mp4(note), type: 'video/mp4', extension: 'mp4' };
		case 'music':
			return { bytes: mp3(note), type: 'audio/mpeg', extension: 'mp3' };
		case 'audio':
			return { bytes: wav(note), type: 'audio/wav', extension: 'wav' };
	}
}

/** The file cut or filled up with zeros to a size, a block at a time. */
export async function* padded(file: Buffer, size: number): AsyncGenerator<Buffer> {
	if (size > 0) yield file.subarray(0, size);
	const block = Buffer.alloc(65_536);
	for (let left = size - file.length; left > 0; left -= block.length) {
		yield block.subarray(0, left);
	}
}
