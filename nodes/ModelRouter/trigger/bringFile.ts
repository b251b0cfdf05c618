import type { IDataObject, IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';

import type { Connection } from '../../../src/n8n/connection';
import { storeFile } from '../../../src/n8n/storeFile';
import { openContent } from '../../../src/router/jobs';
import type { JobAddress } from '../../../src/router/jobs';
import { explained, ServiceError } from '../../../src/service/errors';
import type { HttpResponse } from '../../../src/service/http';
import { fetchResult } from '../job/result';
import { failureJson } from './jobItem';
import type { TriggerSettings } from './trigger.params';

/** What became of the file of one job. */
export type Brought =
	/** The item leaves the node. */
	| { item: Pick<INodeExecutionData, 'json' | 'binary'>; note?: string; isGone?: boolean }
	/** The job is to be handed over again later. */
	| { later: string }
	/** There is nothing to tell: the file, whose end is waited for, is still there. */
	| { later: undefined };

/**
 * Brings the file of a completed job, or says on the item why there is none.
 *
 * @param json What the poll has told of the job.
 * @param touch Called with every piece of the file.
 * @param tries How often this may still be tried later; 0 when it is the last time, less when it should not be tried at all.
 * @throws ServiceError `stopped`.
 */
export async function bringFile(
	n8n: IExecuteFunctions,
	{ http, clock, toReadable, redact }: Connection,
	{ wants, binaryProperty, maximumSize }: TriggerSettings,
	json: IDataObject,
	touch: () => Promise<void>,
	tries: number,
): Promise<Brought> {
	const address = { jobId: json['jobId'], segment: json['segment'] } as unknown as JobAddress;
	const without = (error: ServiceError, more: IDataObject = {}): Brought => {
		const failure = redact.texts(failureJson(error));
		const note = [error.message, error.details.reason].filter(Boolean).join('. ');
		return { item: { json: { ...json, ...more, failure } }, note: redact.text(note).slice(0, 500) };
	};
	if (tries < 0) return without(triedTooOften(address));
	try {
		if (!wants('mediaJobCompleted')) {
			await lookAt(await openContent(http, address));
			return { later: undefined };
		}
		const store = async (response: HttpResponse, wanted: Parameters<typeof storeFile>[3]) =>
			await storeFile(
				n8n,
				toReadable,
				{ ...response, body: touched(response.body, touch) },
				wanted,
			);
		const call = { http, clock, storeFile: store, asTool: false };
		const { file, binary = {} } = await fetchResult(call, address, {
			binaryProperty: binaryProperty ?? 'data',
			maximumSize,
			justCompleted: true,
		});
		return { item: { json: { ...json, file }, binary } };
	} catch (cause) {
		if (!(cause instanceof ServiceError) || cause.kind === 'stopped') throw explained(cause);
		const { status } = cause.details;
		if (status === 410) {
			const event = wants('mediaContentExpired') ? { event: 'mediaContentExpired' } : {};
			return { ...without(cause, event), isGone: true };
		}
		if (isPermanent(cause) || !tries) return without(cause);
		return { later: redact.text(cause.message) };
	}
}

/** Whether it is the same tomorrow: then the item comes without its file. */
function isPermanent({ details: { status = 0, permanent } }: ServiceError): boolean {
	return permanent === true || (status >= 400 && status < 500 && !PASSING.has(status));
}

/** A key may be put right, and a file that is not there yet may come. */
const PASSING = new Set([401, 404, 408, 409, 425, 429]);

/** No generator: one that was never begun would not pass on that its reader has left. */
function touched(
	body: AsyncIterable<Uint8Array>,
	touch: () => Promise<void>,
): AsyncIterable<Uint8Array> {
	return {
		[Symbol.asyncIterator]() {
			const bytes = body[Symbol.asyncIterator]();
			return {
				async next() {
					await touch();
					return await bytes.next();
				},
				async return(value: unknown) {
					return (await bytes.return?.(value)) ?? { done: true, value };
				},
			};
		},
	};
}

/** Leaving the loop over a body closes its connection. */
async function lookAt({ body }: HttpResponse): Promise<void> {
	for await (const _chunk of body) return;
}

const triedTooOften = ({ jobId }: JobAddress) =>
	new ServiceError(
		'failed',
		'The file was not brought: every execution that tried was interrupted',
		{
			ids: { jobId },
			advice:
				'The job is done and its file may still be at the service: use Download with the job ID.',
		},
	);
