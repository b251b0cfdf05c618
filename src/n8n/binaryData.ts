import type { IExecuteFunctions } from 'n8n-workflow';

import { withPartialBody } from '../core/body';
import {
	asReported,
	malformedResponseError,
	parseErrorBody,
	reportsError,
} from '../core/errorResponses';
import {
	invalidInputError,
	messageOf,
	ServiceError,
	shortenText,
	truncatedAnswerError,
	withDetails,
} from '../core/errors';
import { detectFileType, SNIFF_LENGTH, sanitizeFileName } from '../core/files';
import { type HttpResponse, toBody } from '../core/http';
import { tryParseJson } from '../core/json';
import { toReadable } from './platform';
import type { Redactor } from './redact';

const MIB = 1024 * 1024;
/** MiB. A file is sent inside JSON, so memory holds several copies of it. */
const MAX_UPLOAD_MIB = 50;

export interface FileInfo {
	mimeType: string;
	fileName: string;
}

export interface FileContent extends FileInfo {
	base64: string;
}

/**
 * Describes the file in a binary field of an input item, without reading it.
 *
 * @param path What the field is called in the editor.
 * @throws ServiceError `invalid` when there is no file, or one too large to be sent.
 */
export function findFile(
	n8n: IExecuteFunctions,
	itemIndex: number,
	property: string,
	path: string,
): FileInfo {
	const files = n8n.getInputData()[itemIndex]?.binary ?? {};
	const file = Object.hasOwn(files, property) ? files[property] : undefined;
	if (!file) {
		const names = Object.keys(files);
		const named = names.length
			? `It has files in: ${names.join(', ')}.`
			: 'It has no files at all: the node before this one must pass the file on.';
		const advice = property.length > MAX_FIELD_NAME ? FILE_AS_NAME_ADVICE : named;
		throw invalidInputError(
			`${path}: the input item has no file in "${shortenText(property, MAX_FIELD_NAME)}"`,
			LIKE_ADDRESS.test(property) ? `A URL begins with https://. ${named}` : advice,
		);
	}
	checkSize(file.bytes ?? 0, path);
	return {
		mimeType: file.mimeType || 'application/octet-stream',
		fileName: file.fileName || 'file',
	};
}

/** Neither a name nor Base64. */
const LIKE_ADDRESS = /\w\.\w|:\/\//;

/** Characters. A longer name is the file itself, as Base64, which a webhook gave. */
const MAX_FIELD_NAME = 80;
const FILE_AS_NAME_ADVICE =
	'This looks like a file itself, and not like the name of a field with a file. Put n8n\'s node "Convert to File" (Move Base64 String to File) before this one, and enter the name of its output field. Or enter data:image/png;base64, followed by the Base64.';

/** Reads the file of a binary field. For its type, its first bytes count more than the type stored in n8n. */
export async function readFile(
	n8n: IExecuteFunctions,
	itemIndex: number,
	property: string,
	path: string,
): Promise<FileContent> {
	const found = findFile(n8n, itemIndex, property, path);
	const bytes = await n8n.helpers
		.getBinaryDataBuffer(itemIndex, property)
		.catch((cause: unknown) => {
			throw unreadableFileError(property, path, messageOf(cause));
		});
	if (!bytes.length) throw invalidInputError(`${path}: the file in "${property}" is empty`);
	checkSize(bytes.length, path);
	const families = ['image', 'audio', 'video'] as const;
	// a store may have sent any file as "octet-stream"
	const family =
		families.find((one) => found.mimeType.startsWith(`${one}/`)) ??
		(found.mimeType.endsWith('/octet-stream') ? 'video' : undefined);
	const seen = family && detectFileType(bytes.subarray(0, SNIFF_LENGTH), found.mimeType, family);
	return {
		fileName: found.fileName,
		mimeType: seen?.mimeType ?? found.mimeType,
		base64: bytes.toString('base64'),
	};
}

function unreadableFileError(property: string, path: string, reason: string): ServiceError {
	const isMissing = /ENOENT|file not found/i.test(reason);
	return invalidInputError(
		`${path}: n8n could not read the file in "${property}"`,
		`It says: ${reason}${isMissing ? `. ${NO_FILE_ADVICE}` : ''}`,
	);
}

/** A node cannot see in which process another one has stored a file, nor whether processes share a folder. */
const NO_FILE_ADVICE =
	'In queue mode, each process keeps files in its own folder unless N8N_STORAGE_PATH is a folder that main and all workers share.';

function checkSize(bytes: number, path: string): void {
	if (bytes <= MAX_UPLOAD_MIB * MIB) return;
	throw invalidInputError(
		`${path}: the file is larger than ${MAX_UPLOAD_MIB} MiB`,
		'Put it where the service can read it, and give its address.',
	);
}

/**
 * Bytes of the largest file that n8n reads back from PostgreSQL: the driver makes a text of two characters per byte of it, and two
 * more, and V8 allows 0x1fffffe8 characters. A node that reads a larger file never ends (n8n 2.41.1, pg-protocol). SQLite
 * can read back more, but a node cannot see which database it is.
 */
const MAX_DATABASE_BYTES = (0x1fffffe8 - 2) / 2;

export interface StoreFileOptions {
	/** Name for a file that the service does not name; the extension follows from the type. */
	baseName: string;
	family: 'image' | 'video' | 'audio';
	/** MiB; a larger file is not stored. */
	maxSizeMib: number;
	/** Called before each chunk is read. */
	beforeRead?(): Promise<void>;
}

/**
 * Streams a file into n8n's binary store, without a copy of it in memory.
 *
 * Nothing is stored if the file is empty, too large or truncated, or if a web page or JSON came in its place. A file that
 * n8n could not read back also counts as too large. A key in its name becomes "_": an asterisk is not allowed there.
 *
 * @throws ServiceError `malformed` for something that is not a file, `failed` above a limit, `truncated` if it ends early.
 */
export async function storeFile(
	n8n: IExecuteFunctions,
	redact: Pick<Redactor, 'data'>,
	response: HttpResponse,
	{ baseName, family, maxSizeMib, beforeRead }: StoreFileOptions,
) {
	// If n8n has decompressed the body, this counts the compressed bytes, so it is only used to refuse a large file early. Node itself
	// reports a body that ends before it.
	const announced = Number(response.headers['content-length'] ?? NaN);
	const bytes = response.body[Symbol.asyncIterator]();
	const read = async () => {
		await beforeRead?.();
		const { done, value } = await bytes.next();
		return done ? undefined : value;
	};
	let failure: unknown;
	let count = 0;
	/** Whether n8n can read back a file above the limit of its database; undefined while the file may be below it. */
	let isStoreLarge: boolean | undefined;
	const checkFileSize = async (size: number) => {
		if (size > maxSizeMib * MIB) throw tooLargeError(size, maxSizeMib);
		if (size <= MAX_DATABASE_BYTES) return;
		isStoreLarge ??= !(await usesDatabase(n8n));
		if (!isStoreLarge) throw notReadableError(size);
	};
	try {
		if (announced > 0) await checkFileSize(announced);
		const start = await readStart(read);
		if (!start.length) throw malformedResponseError(response, 'The file is empty.');
		const type = detectFileType(start, response.headers['content-type'], family);
		if (!type) throw notAFileError(response, new TextDecoder().decode(start));

		const counted = async function* () {
			try {
				for (let chunk: Uint8Array | undefined = start; chunk; chunk = await read()) {
					count += chunk.length;
					await checkFileSize(count);
					yield chunk;
				}
				checkWhole(response, count);
			} catch (cause) {
				failure = cause;
				throw cause instanceof ServiceError ? cause : truncatedAnswerError(String(cause));
			}
		};
		const given = sanitizeFileName(response.headers['content-disposition'], type.extension);
		const fileName = redact.data(given ?? `${baseName}.${type.extension}`).replaceAll('***', '_');
		const binary = await n8n.helpers.prepareBinaryData(
			toReadable(counted()),
			fileName,
			type.mimeType,
		);
		return { binary, file: { fileName, mimeType: type.mimeType, bytes: count } };
	} catch (cause) {
		throw failure instanceof ServiceError ? failure : toStoreError(cause);
	} finally {
		// closes the connection
		await bytes.return?.();
	}
}

/** @throws ServiceError `truncated` for a part of a file (206), which some stores send although nobody has asked for one. */
function checkWhole({ headers }: HttpResponse, bytes: number): void {
	const [, whole = 0] = /\/(\d+)$/.exec(headers['content-range'] ?? '') ?? [];
	if (bytes < Number(whole)) throw truncatedAnswerError(`It has ${bytes} of ${whole} bytes.`);
}

/**
 * Whether n8n keeps files in its database. Only the ID of a stored file shows that, so one byte is stored, which n8n deletes with the
 * execution. Otherwise that would only show after a whole file was held in memory and written for nothing.
 */
async function usesDatabase(n8n: IExecuteFunctions): Promise<boolean> {
	const { id = '' } = await n8n.helpers.prepareBinaryData(
		toReadable(toBody(new Uint8Array(1))),
		'size-check',
		'application/octet-stream',
	);
	return id.startsWith('database:');
}

async function readStart(read: () => Promise<Uint8Array | undefined>): Promise<Uint8Array> {
	const chunks: Uint8Array[] = [];
	let length = 0;
	while (length < SNIFF_LENGTH) {
		const chunk = await read();
		if (!chunk) break;
		chunks.push(chunk);
		length += chunk.length;
	}
	return Buffer.concat(chunks);
}

/** What came in place of the file may give the reason, or the file's address. */
function notAFileError(response: HttpResponse, text: string): ServiceError {
	const error = malformedResponseError(response, text);
	const explain = reportsError(tryParseJson(text)) ? asReported : withDetails;
	return withPartialBody(explain(error, parseErrorBody(text)), { received: text });
}

function tooLargeError(bytes: number, maxSizeMib: number): ServiceError {
	return new ServiceError(
		'failed',
		`The file is larger than ${maxSizeMib} MiB and was not stored`,
		{
			reason: `It has at least ${bytes} bytes.`,
			permanent: true,
			advice: `Raise "Max Size (MiB)" where n8n keeps files in its file system or in S3. In queue mode it keeps them in its database, from which it cannot read back 256 MiB or more. There, ${LARGE_STORE_ADVICE}`,
		},
	);
}

function notReadableError(bytes: number): ServiceError {
	return new ServiceError(
		'failed',
		'n8n cannot read back a file of this size from its database, so it was not stored',
		{
			reason: `It has at least ${bytes} bytes; the maximum is ${MAX_DATABASE_BYTES}.`,
			permanent: true,
			advice: `To let n8n keep files elsewhere, ${LARGE_STORE_ADVICE} The file is still at the service: then use Download File with the job ID.`,
		},
	);
}

const LARGE_STORE_ADVICE =
	'set N8N_DEFAULT_BINARY_DATA_MODE to "filesystem" and N8N_STORAGE_PATH to a folder that all its processes share, or use S3.';

function toStoreError(cause: unknown): unknown {
	if (cause instanceof ServiceError) return cause;
	return new ServiceError('failed', 'n8n could not store the file', {
		reason: messageOf(cause),
		advice:
			'The file is still at the service: use Download File with the job ID once n8n can store files again.',
	});
}
