import type { IDataObject, INodeProperties } from 'n8n-workflow';

import { invalidInputError } from '../../../src/core/errors';
import { readKeyText } from '../../../src/core/keyText';
import { tryParseJson } from '../../../src/core/json';
import { openLedger } from '../../../src/ledger/openLedger';
import type { Entry } from '../../../src/ledger/entry';
import { asNotStarted, hasStarted } from '../../../src/ledger/keyClaim';
import type { Ledger } from '../../../src/ledger/ledger';
import {
	type JobSelector,
	resolveStart,
	type StartSelector,
} from '../../../src/ledger/manualChanges';
import type { ItemOutput, Uses } from '../../../src/n8n/operation';
import type { ParamValues } from '../../../src/n8n/parameters';
import { toJob } from '../../../src/paid/payJob';
import { findByParam } from '../acrossResources.params';
import { jobIdParam, toJobId } from '../media/media.params';

const entryIdOption = {
	name: 'Entry ID',
	value: 'entryId',
	description: 'From an error or an item of the trigger',
} as const;
const jobIdOption = {
	name: 'Job ID',
	value: 'jobId',
	description: 'The ID of the job at the service',
} as const;
const keyOption = {
	name: 'Unique Key',
	value: 'uniqueKey',
	description: 'The key that the job was started with',
} as const;

const keyParam = {
	displayName: 'Unique Key',
	name: 'uniqueKey',
	type: 'string',
	displayOptions: { show: { findBy: ['uniqueKey'] } },
	default: '={{ $json.uniqueKey }}',
	required: true,
} as const satisfies INodeProperties;

const entryIdParam = {
	displayName: 'Entry ID',
	name: 'entryId',
	type: 'number',
	displayOptions: { show: { findBy: ['entryId'] } },
	default: 0,
	required: true,
	description: 'From "entryId"',
} as const satisfies INodeProperties;

/** Parameters that select a start. */
export const whichParams = [
	findByParam('uniqueKey', [entryIdOption, keyOption]),
	keyParam,
	entryIdParam,
] as const satisfies INodeProperties[];

/** @throws ServiceError `invalid`. */
export function toSelector({
	findBy,
	uniqueKey,
	entryId,
}: ParamValues<typeof whichParams>): StartSelector {
	if (findBy === 'entryId') {
		if (!(entryId > 0)) throw invalidInputError('Entry ID is empty');
		return { id: entryId };
	}
	const key = readKeyText('Unique Key', uniqueKey);
	if (!key) throw invalidInputError('Unique Key is empty');
	return { uniqueKey: key };
}

const ofJobParam = {
	...jobIdParam,
	displayOptions: { show: { findBy: ['jobId'] } },
} as const satisfies INodeProperties;

/** Parameters that select one job, of which its item says what it is. */
export const oneJobParams = [
	findByParam('jobId', [entryIdOption, jobIdOption]),
	ofJobParam,
	entryIdParam,
] as const satisfies INodeProperties[];

/** Parameters that select one job, or the jobs of an execution. */
export const jobsParams = [
	findByParam('jobId', [
		entryIdOption,
		{ name: 'Execution', value: 'executionId', description: 'All jobs that it got' },
		jobIdOption,
		keyOption,
	]),
	ofJobParam,
	keyParam,
	entryIdParam,
	{
		displayName: 'Execution ID',
		name: 'executionId',
		type: 'string',
		displayOptions: { show: { findBy: ['executionId'] } },
		default: '={{ $json.executionId }}',
		required: true,
		placeholder: 'e.g. 1234',
		description: 'The number in its address',
	},
] as const satisfies INodeProperties[];

/** A selection, without the credential of the job. */
type JobSelection = ReturnType<typeof toJobSelection>;

/** @throws ServiceError `invalid`. */
export function toJobSelection({ findBy, jobId, uniqueKey = '', entryId }: JobFields) {
	return findBy === 'jobId'
		? { jobId: toJobId(jobId) }
		: toSelector({ findBy, uniqueKey, entryId });
}

interface JobFields {
	findBy: 'entryId' | 'jobId' | 'uniqueKey';
	jobId: string;
	uniqueKey?: string;
	entryId: number;
}

/** @param origin For the credential: jobs of different accounts may share an ID. */
export const toJobSelector = (
	selection: JobSelection,
	{ credentialId }: LedgerHost['origin'],
): JobSelector => ('id' in selection ? selection : { ...selection, credentialId });

/**
 * Records what a person has decided about a start, also in the budget and the record of the credential.
 *
 * @param jobId Of the job that was started; undefined if there is none.
 * @throws ServiceError as `resolveStart`.
 */
export async function decideStart(
	context: LedgerHost & Uses<'accounts'>,
	which: StartSelector,
	jobId?: string,
): Promise<ItemOutput> {
	const { credentialId } = context.origin;
	const ledger = await openJobLedger(context);
	const { entry, claim } = await resolveStart(ledger, which, credentialId, jobId);
	const { model, startedAt, executionId, mediaType } = entry;
	const job = jobId === undefined ? undefined : { mediaType, jobId };
	context.accounts.decideStart({ claim, model, startedAt, executionId, job });
	return { json: toEntryJson(context, entry) };
}

/**
 * For a job that is to be tracked.
 *
 * @throws ServiceError `invalid` where its account comes from an item: the trigger, which has none, could not fetch it.
 */
export function requireFetchable({ isAccountOfItem }: Uses<'isAccountOfItem'>): void {
	if (!isAccountOfItem) return;
	throw invalidInputError(
		'A job cannot be tracked in the job ledger while its account comes from an item',
		'Nothing was sent. The Model Router Trigger has no item to read the credential with, so it could not fetch the job. Turn off "Track in Job Ledger" and clear Unique Key, or choose a credential without an expression in Base URL, API Key and the additional headers.',
	);
}

/** An entry as an item: times in ISO 8601, empty fields omitted. */
export function toEntryJson({ clock }: Uses<'clock'>, entry: Entry): IDataObject {
	const { id, record, deliveries, startedAt, leaseUntil, checkAt, ...rest } = entry;
	const age = Math.max(0, clock.now() - startedAt);
	const fields = {
		entryId: id,
		...rest,
		// internal to claims and transitions
		claim: undefined,
		proposal: undefined,
		deliveries: deliveries || undefined,
		startedAt: isoTime(startedAt),
		ageSeconds: startedAt ? Math.round(age / 1000) : undefined,
		status: toJob(entry).status,
		leaseUntil: isoTime(leaseUntil),
		checkAt: isoTime(checkAt),
		job: tryParseJson(record),
	};
	const filled = Object.entries(fields).filter(([, value]) => value !== '' && value !== undefined);
	return Object.fromEntries(filled) as IDataObject;
}

/** Jobs as items: the entry of each, and what is said of it. */
export const toJobItems = (
	context: Parameters<typeof toEntryJson>[0],
	jobs: ReadonlyArray<{ entry: Entry }>,
): ItemOutput[] =>
	jobs.map(({ entry, ...more }) => ({ json: { ...toEntryJson(context, entry), ...more } }));

const isoTime = (milliseconds: number) =>
	milliseconds ? new Date(milliseconds).toISOString() : undefined;

export type LedgerHost = Uses<'connectLedger' | 'clock' | 'origin'>;

/**
 * Opens the job ledger of the credential.
 *
 * @param attempts Maximum attempts to find its table.
 * @throws ServiceError `invalid` if it is turned off, or its table cannot be used.
 */
export const openJobLedger = async (
	{ connectLedger, clock, origin }: LedgerHost,
	attempts?: number,
): Promise<Ledger> => await openLedger(connectLedger(), clock, origin.executionId, attempts);

/** Whether the job of a key is there: it is returned, whatever list, catalog or cap say by now. @throws ServiceError `not_started`. */
export async function isStartedBefore(context: LedgerHost, uniqueKey = ''): Promise<boolean> {
	if (!uniqueKey) return false;
	const { credentialId } = context.origin;
	try {
		return await hasStarted(await openJobLedger(context), { uniqueKey, credentialId });
	} catch (cause) {
		throw asNotStarted(cause);
	}
}
