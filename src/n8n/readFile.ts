import type { IExecuteFunctions } from 'n8n-workflow';

import { invalid } from '../service/errors';
import { fileTypeOf, SNIFF_LENGTH } from '../service/fileType';

const MIB = 1024 * 1024;
/** MiB. A file is sent inside JSON, which holds it in memory several times over. */
const MAXIMUM_SIZE = 50;

export interface FileFound {
	mimeType: string;
	fileName: string;
}

export interface FileRead extends FileFound {
	base64: string;
}

/**
 * Says what an input item has in a binary field, without reading it.
 *
 * @param path What the field is called in the editor.
 * @throws ServiceError `invalid` when there is no file, or one too large to be sent.
 */
export function findFile(
	n8n: IExecuteFunctions,
	itemIndex: number,
	property: string,
	path: string,
): FileFound {
	const files = n8n.getInputData()[itemIndex]?.binary ?? {};
	const file = Object.hasOwn(files, property) ? files[property] : undefined;
	if (!file) {
		const names = Object.keys(files);
		throw invalid(
			`${path}: the input item has no file in "${property}"`,
			names.length ? `It has files in: ${names.join(', ')}.` : 'It has no files at all.',
		);
	}
	checkSize(file.bytes ?? 0, path);
	return {
		mimeType: file.mimeType || 'application/octet-stream',
		fileName: file.fileName || 'file',
	};
}

/** Reads the file of a binary field. Its type is told by its first bytes before what n8n was told of it. */
export async function readFile(
	n8n: IExecuteFunctions,
	itemIndex: number,
	property: string,
	path: string,
): Promise<FileRead> {
	const found = findFile(n8n, itemIndex, property, path);
	const bytes = await bytesOf(n8n, itemIndex, property, path);
	if (!bytes.length) throw invalid(`${path}: the file in "${property}" is empty`);
	checkSize(bytes.length, path);
	const [family = ''] = found.mimeType.split('/');
	const seen =
		family === 'image' || family === 'audio' || family === 'video'
			? fileTypeOf(bytes.subarray(0, SNIFF_LENGTH), found.mimeType, family)
			: undefined;
	return {
		fileName: found.fileName,
		mimeType: seen?.mimeType ?? found.mimeType,
		base64: bytes.toString('base64'),
	};
}

async function bytesOf(n8n: IExecuteFunctions, itemIndex: number, property: string, path: string) {
	try {
		return await n8n.helpers.getBinaryDataBuffer(itemIndex, property);
	} catch (cause) {
		throw invalid(
			`${path}: n8n could not read the file in "${property}"`,
			`It says: ${cause instanceof Error ? cause.message : String(cause)}`,
		);
	}
}

function checkSize(bytes: number, path: string): void {
	if (bytes <= MAXIMUM_SIZE * MIB) return;
	throw invalid(
		`${path}: the file is larger than ${MAXIMUM_SIZE} MiB`,
		'Put it where the service can read it, and give its address.',
	);
}
