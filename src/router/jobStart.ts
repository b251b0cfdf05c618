import { createDecoder, readErrorResponse, readText, withPartialBody } from '../core/body';
import { malformedResponseError, unexpectedBodyError } from '../core/errorResponses';
import {
	determineOutcome,
	invalidInputError,
	isUnstarted,
	mapServiceError,
	withDetails,
	withOutcome,
} from '../core/errors';
import { isErrorResponse, type Http, type HttpRequest, type HttpResponse } from '../core/http';
import { isPlainObject, type JsonObject, tryParseJson } from '../core/json';
import { withAdvice } from './advice';
import { findJobIdInUrl, type Job, readJobRecord } from './jobRecord';
import type { MediaType } from './model';

/**
 * Starts a media job, which costs money once it completes.
 *
 * @param body Sent unchanged: the specification does not define it.
 * @throws ServiceError with an outcome. `unknown` even when the service accepted the start but gave no usable id.
 * @see POST /v1/<segment>/jobs
 */
export async function startJob(
	http: Http,
	mediaType: MediaType,
	body: { model: string; [field: string]: unknown },
	options: Pick<HttpRequest, 'beforeAttempt'>,
): Promise<Job> {
	try {
		const path = `/v1/${mediaType}/jobs`;
		const response = await http.send({ ...options, method: 'POST', path, body });
		const decoder = createDecoder(response);
		try {
			return await readStartResponse(response, decoder, mediaType);
		} catch (cause) {
			const { 'content-type': type, location } = response.headers;
			throw mapServiceError(cause, (error) => {
				// a filter that charges for a text charges for no job of this service: one costs something once it is done
				const isCharged = error.details.outcome === 'started';
				if (isCharged && determineOutcome(error) === 'not_started')
					return withDetails(error, { outcome: 'not_started' });
				if (isUnstarted(error)) return error;
				// the start may have been accepted: what arrived may have the id of the job
				const arrived = { received: decoder.received(), type: type?.toLowerCase() };
				const kept = withPartialBody(error, arrived, {});
				const partial = location && { partial: { ...kept.details.partial, location } };
				return withDetails(kept, { outcome: 'unknown', ...partial });
			});
		}
	} catch (cause) {
		throw mapServiceError(cause, (error) =>
			withAdvice(withOutcome(error, 'job start'), body.model),
		);
	}
}

/** Without a usable body, the address of the job may be in `Location` (201, 202, 204, 302, 303). @see RFC 9110, section 10.2.2 */
async function readStartResponse(
	response: HttpResponse,
	decoder: ReturnType<typeof createDecoder>,
	mediaType: MediaType,
): Promise<Job> {
	const { status, headers } = response;
	const isAccepted = status < 300 || status === 302 || status === 303;
	const idFromLocation = isAccepted ? findJobIdInUrl(headers['location'] ?? '') : undefined;
	let record: unknown;
	try {
		if (isErrorResponse(response)) throw await readErrorResponse(response, decoder);
		const text = await readText(response, undefined, decoder);
		record = tryParseJson(text.trim());
		if (record === undefined) throw malformedResponseError(response, text);
	} catch (cause) {
		if (idFromLocation === undefined) throw mapServiceError(cause);
	}
	const fields = isPlainObject(record) ? record : {};
	const job = readJobRecord(fields, mediaType, headers);
	if (job) return job;
	const located =
		idFromLocation && readJobRecord({ ...fields, id: idFromLocation }, mediaType, headers);
	if (!located) throw unexpectedBodyError(response, record);
	return { ...located, record: fields };
}

/** A file or a URL for one field of the request that starts a job. */
export interface JobInput {
	/** Path of the field, with dots between names. `[]` at the end makes a list even of one value. */
	name: string;
	value: string;
}

/**
 * Adds inputs to the body of a start request. Several inputs of one name become a list; existing objects are extended.
 *
 * @throws ServiceError `invalid` for a name that is not allowed, or already used.
 */
export function addInputs(body: JsonObject, inputs: readonly JobInput[]): JsonObject {
	const byPath = new Map<string, { isList: boolean; values: string[] }>();
	for (const { name, value } of inputs) {
		const path = name.trim().replace(/\s*\[\s*\]$/, '');
		const field = byPath.get(path) ?? { isList: false, values: [] };
		field.values.push(value);
		field.isList ||= field.values.length > 1 || path !== name.trim();
		byPath.set(path, field);
	}
	return [...byPath].reduce(
		(rest, [path, { isList, values }]) =>
			setAtPath(rest, splitPath(path), isList ? values : values[0]),
		body,
	);
}

function splitPath(path: string): string[] {
	const parts = path.split('.').map((part) => part.trim());
	if (!path) throw invalidInputError('Inputs: Parameter Name is empty');
	if (parts.some((part) => !part || part === '__proto__' || part === 'constructor'))
		throw invalidInputError(
			`Inputs: "${path}" cannot be the name of a parameter`,
			'Use a name such as "image", or names with dots between them, such as "reference.image".',
		);
	return parts;
}

function setAtPath(
	fields: JsonObject,
	[name = '', ...rest]: readonly string[],
	value: unknown,
	parentPath = '',
): JsonObject {
	const path = parentPath + name;
	const exists = Object.hasOwn(fields, name);
	if (!rest.length) {
		if (exists)
			throw invalidInputError(
				`Inputs must not contain "${path}"`,
				'It is set by another field or input.',
			);
		return { ...fields, [name]: value };
	}
	const inner = exists ? fields[name] : {};
	if (!isPlainObject(inner))
		throw invalidInputError(
			`Inputs: nothing can be added to "${path}"`,
			'Another field or input sets it to a value that is not an object.',
		);
	return { ...fields, [name]: setAtPath(inner, rest, value, `${path}.`) };
}
