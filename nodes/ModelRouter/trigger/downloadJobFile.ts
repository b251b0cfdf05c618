import type { IDataObject, IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';

import { mapServiceError, ServiceError } from '../../../src/core/errors';
import { readFirstChunk, type HttpResponse } from '../../../src/core/http';
import { storeFile } from '../../../src/n8n/binaryData';
import type { Connection } from '../../../src/n8n/connection';
import { openContent, type JobAddress } from '../../../src/router/jobs';
import { downloadResult, toFailureJson } from '../media/jobOutput';
import type { TriggerSettings } from './trigger.params';

/** The result of the download of one file. */
export type DownloadResult =
	/** The item to output. */
	| { item: Pick<INodeExecutionData, 'json' | 'binary'>; note?: string; isGone?: boolean }
	/** The reason why the job is delivered again later. */
	| { later: string }
	/** No output: the trigger only reports expired files, and this one is still available. */
	| { later: undefined };

/**
 * Downloads the file of a completed job, or adds the reason to the item why there is none.
 *
 * @param json The item of the job, as the poll has emitted it.
 * @param renewLease Called before every chunk of the file.
 * @param attempts Attempts that may follow this one: 0 for the last one, negative when none are left.
 * @throws ServiceError `cancelled`.
 */
export async function downloadJobFile(
	n8n: IExecuteFunctions,
	connection: Connection,
	{ wants, binaryProperty, maxSizeMib }: TriggerSettings,
	json: IDataObject,
	renewLease: () => Promise<void>,
	attempts: number,
): Promise<DownloadResult> {
	const { http, clock, redact } = connection;
	const address = { jobId: json['jobId'], mediaType: json['mediaType'] } as unknown as JobAddress;
	const withoutFile = (error: ServiceError, changes: IDataObject = {}): DownloadResult => {
		const failure = redact.texts(toFailureJson(error));
		const note = [error.message, error.details.reason].filter(Boolean).join('. ');
		return {
			item: { json: { ...json, ...changes, failure } },
			note: redact.text(note).slice(0, 500),
		};
	};
	if (attempts < 0) return withoutFile(tooManyAttempts(address));
	try {
		if (!wants('mediaJobCompleted')) {
			await readFirstChunk(await openContent(http, address));
			return { later: undefined };
		}
		const store = async (response: HttpResponse, options: Parameters<typeof storeFile>[3]) =>
			await storeFile(n8n, connection, response, { ...options, beforeRead: renewLease });
		const context = { http, clock, storeFile: store, asTool: false };
		const { file, binary = {} } = await downloadResult(context, address, {
			binaryProperty: binaryProperty ?? 'data',
			maxSizeMib,
			justCompleted: true,
		});
		return { item: { json: { ...json, file }, binary } };
	} catch (cause) {
		if (!(cause instanceof ServiceError) || cause.kind === 'cancelled')
			throw mapServiceError(cause);
		const { status } = cause.details;
		if (status === 410) {
			const event = wants('mediaContentExpired') ? { event: 'mediaContentExpired' } : {};
			return { ...withoutFile(cause, event), isGone: true };
		}
		if (isPermanent(cause) || !attempts) return withoutFile(cause);
		return { later: redact.text(cause.message) };
	}
}

/** Whether a retry cannot help. The item is then output without its file. */
function isPermanent({ details: { status = 0, permanent } }: ServiceError): boolean {
	return permanent === true || (status >= 400 && status < 500 && !TRANSIENT_STATUSES.has(status));
}

/** Statuses that may change: a wrong key can be corrected, and a missing file may still appear. */
const TRANSIENT_STATUSES = new Set([401, 404, 408, 409, 425, 429]);

const tooManyAttempts = ({ jobId }: JobAddress) =>
	new ServiceError(
		'failed',
		'The file was not downloaded: every execution that tried was interrupted',
		{
			ids: { jobId },
			advice:
				'The job is done and its file may still be at the service: use Download File with the job ID.',
		},
	);
