import type { IBinaryData, IExecuteFunctions } from 'n8n-workflow';

import { cut, ServiceError, withDetails } from '../service/errors';
import { safeFileName } from '../service/fileName';
import { garbled, readReportedError } from '../service/refusals';
import { fileTypeOf, SNIFF_LENGTH } from '../service/fileType';
import type { HttpResponse } from '../service/http';

const MIB = 1024 * 1024;

export interface FileWanted {
	/** Name for a file to which the service gives none; its ending follows from the type. */
	baseName: string;
	family: 'image' | 'video' | 'audio';
	/** MiB; a larger file is not stored. */
	maximumSize: number;
}

export interface StoredFile {
	binary: IBinaryData;
	file: { fileName: string; mimeType: string; bytes: number };
}

/**
 * Streams a file into n8n's binary store, without a copy of it in memory.
 *
 * Nothing is stored of a file that is empty, too large, broken off, or a web page or JSON in place of a file.
 *
 * @throws ServiceError `garbled` for something that is no file, `failed` for one over the limit, `cut` for a broken one.
 */
export async function storeFile(
	n8n: IExecuteFunctions,
	toReadable: ToReadable,
	response: HttpResponse,
	{ baseName, family, maximumSize }: FileWanted,
): Promise<StoredFile> {
	const announced = Number(response.headers['content-length'] ?? NaN);
	const bytes = response.body[Symbol.asyncIterator]();
	let failure: unknown;
	let count = 0;
	try {
		if (announced > maximumSize * MIB) throw tooLarge(announced, maximumSize);
		const start = await readStart(bytes);
		if (!start.length) throw garbled(response, 'The file is empty.');
		const type = fileTypeOf(start, response.headers['content-type'], family);
		if (!type) throw noFile(response, new TextDecoder().decode(start));

		const counted = async function* () {
			try {
				for (let chunk: Uint8Array | undefined = start; chunk; chunk = await nextOf(bytes)) {
					count += chunk.length;
					if (count > maximumSize * MIB) throw tooLarge(count, maximumSize);
					yield chunk;
				}
				if (announced > count) throw cut(`The file ended after ${count} of ${announced} bytes.`);
			} catch (cause) {
				failure = cause;
				throw cause instanceof ServiceError ? cause : cut(String(cause));
			}
		};
		const disposition = response.headers['content-disposition'];
		const fileName = safeFileName(disposition, type.extension) ?? `${baseName}.${type.extension}`;
		const binary = await n8n.helpers.prepareBinaryData(
			toReadable(counted()),
			fileName,
			type.mimeType,
		);
		return { binary, file: { fileName, mimeType: type.mimeType, bytes: count } };
	} catch (cause) {
		throw failure instanceof ServiceError ? failure : storeFailed(cause);
	} finally {
		// leaving the body closes its connection
		await bytes.return?.();
	}
}

/** Makes Node's own stream of bytes; its class cannot be imported by a community node. */
export type ToReadable = (
	bytes: AsyncIterable<Uint8Array>,
) => Parameters<IExecuteFunctions['helpers']['prepareBinaryData']>[0];

async function nextOf(bytes: AsyncIterator<Uint8Array>): Promise<Uint8Array | undefined> {
	const { done, value } = await bytes.next();
	return done ? undefined : value;
}

async function readStart(bytes: AsyncIterator<Uint8Array>): Promise<Uint8Array> {
	const chunks: Uint8Array[] = [];
	let length = 0;
	while (length < SNIFF_LENGTH) {
		const chunk = await nextOf(bytes);
		if (!chunk) break;
		chunks.push(chunk);
		length += chunk.length;
	}
	const start = new Uint8Array(length);
	let at = 0;
	for (const chunk of chunks) {
		start.set(chunk, at);
		at += chunk.length;
	}
	return start;
}

/** What came in place of the file may say why, or where it is. */
const noFile = (response: HttpResponse, text: string) =>
	withDetails(garbled(response, text), readReportedError(text));

function tooLarge(bytes: number, maximumSize: number): ServiceError {
	return new ServiceError(
		'failed',
		`The file is larger than ${maximumSize} MiB and was not stored`,
		{
			reason: `It has at least ${bytes} bytes.`,
			permanent: true,
			advice:
				'Raise "Maximum Size" where n8n keeps files in its file system or in S3. In queue mode it keeps them in its database, from which it cannot read back 256 MiB or more: set N8N_DEFAULT_BINARY_DATA_MODE to "filesystem" and N8N_BINARY_DATA_STORAGE_PATH to a folder that all its processes share, or use S3.',
		},
	);
}

function storeFailed(cause: unknown): unknown {
	if (cause instanceof ServiceError) return cause;
	return new ServiceError('failed', 'n8n could not store the file', {
		reason: cause instanceof Error ? cause.message : String(cause),
		advice:
			'The file is still at the service: use Download with the job ID once n8n can store files again.',
		cause,
	});
}
