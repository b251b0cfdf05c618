import {
	type Caps,
	checkCaps,
	createCap,
	emptySpending,
	type Spending,
} from '../../../src/core/caps';
import { reserve } from '../../../src/core/reserve';
import { mapServiceError } from '../../../src/core/errors';
import type { Decimal } from '../../../src/core/money';
import type { Accounts } from '../../../src/core/accounts';
import type { Entry } from '../../../src/ledger/entry';
import { asNotStarted } from '../../../src/ledger/keyClaim';
import { LONG_RETRY_ATTEMPTS } from '../../../src/tables/retries';
import { claimStart } from '../../../src/ledger/startOnce';
import type { OperationContext, PreflightContext } from '../../../src/n8n/operation';
import type { StartLedger, StartPaid } from '../../../src/n8n/startPaid';
import { explainJobBalance, explainMissingText } from '../../../src/router/advice';
import { describeOddEstimate, type Job, readEstimate } from '../../../src/router/jobRecord';
import { addInputs, type JobInput, startJob } from '../../../src/router/jobStart';
import { describeJobSettings, minimumJobCost } from '../../../src/router/jobPricing';
import { PRICED_MODEL } from '../../../src/router/pricing';
import { checkKind, isSameModel, kindOfMediaType, type MediaType } from '../../../src/router/model';
import type { ModelChoice } from '../../../src/router/modelLists';
import { openSource, spendingCapPerItemParam } from '../acrossResources.params';
import type { FoundModel } from '../catalog';
import { askInTurn, type Candidate, chooseModels, hintPassedOver } from '../modelChoice';
import {
	isStartedBefore,
	openJobLedger,
	requireFetchable,
	toEntryFields,
	toJob,
} from '../ledger/jobEntry';
import { mediaTypeLabel } from './media.params';
import { checkAgentAllowed, startOptions, type StartRequest } from './start.params';

/** A job that was started. Plain data: it is stored with the execution. */
interface StartedJob extends StartResult {
	/** As it was sent. */
	model: string;
}

interface StartResult {
	job: Job;
	/** Undefined if the job ledger is not used. */
	ledgered?: LedgerResult;
}

/** The result of a start in the ledger. */
export interface LedgerResult {
	/** Undefined if the ledger could not be reached after the start. */
	entry: Entry | undefined;
	/** Whether an earlier start with the same key started the job. Undefined without a key. */
	startedBefore?: boolean;
}

/** Rejects AI agents without permission, missing files, models of the wrong kind, and jobs whose minimum cost exceeds a cap or is unknown. */
export async function checkStart(context: PreflightContext<StartRequest>): Promise<void> {
	const { request, asTool, findFile } = context;
	const { mediaType, body, inputs, allowAgents, allowUnknownCost } = request;
	checkAgentAllowed(asTool, allowAgents);
	if (request.ledger) requireFetchable(context);
	for (const input of inputs) openSource(input, findFile);
	const boundOf = ({ found }: Candidate) =>
		'entry' in found ? minimumJobCost(found.entry.pricing, body) : undefined;
	const choosing = chooseModels(context, request.findChoice(), {
		check(candidate) {
			const { found } = candidate;
			if ('entry' in found) checkKind(found.entry, kindOfMediaType(mediaType));
			checkCaps(createCaps(request), boundOf(candidate) ?? noBoundOf(found), allowUnknownCost);
		},
		boundOf: (candidate) => boundOf(candidate)?.microUsd,
	});
	request.chosen = await choosing.catch(async (refusal: unknown) => {
		if (!(await isStartedBefore(context, request.ledger?.uniqueKey)))
			throw mapServiceError(refusal);
		// the claim returns the job. If it finds none any more, nothing is sent
		request.refusal = refusal;
		const [model = ''] = request.findChoice().models;
		const found = { unbounded: 'the request is refused' };
		return { candidates: [{ model, found }], passedOver: [] };
	});
}

/** @param spending What the jobs of the execution cost. If absent, the caps apply to a single job. */
function createCaps(request: StartRequest, spending?: Spending): Caps {
	const { spendingCapPerItem: cap, spendingCapPerExecution } = request;
	const item = createCap({ cap, field: spendingCapPerItemParam.displayName, of: 'item' });
	if (spendingCapPerExecution === undefined) return { item };
	const jobs = createCap({
		cap: spendingCapPerExecution,
		field: startOptions.spendingCapPerExecution.displayName,
		of: 'execution',
		...(spending && { spending }),
		needsCosts: true,
	});
	return { item, jobs };
}

/**
 * Starts a job by the first model that can, unless it was started before. With a cap per execution, starts run one after another, because
 * each counts the costs of the earlier ones.
 */
export async function startPaidJob(context: OperationContext<StartRequest>) {
	const { request, addHint } = context;
	let startedAt: number | undefined;
	const start = async () =>
		await context.payOnce(async (startPaid) => {
			const { answer, passedOver } = await askInTurn(request.chosen, async (candidate) => {
				return await startByModel(context, candidate, startPaid, (now) => (startedAt = now));
			});
			hintPassedOver(addHint, request.findChoice(), passedOver);
			return answer;
		});
	const isSerial = request.spendingCapPerExecution !== undefined;
	const started = await (isSerial ? context.runSerially(start) : start());
	const model = started.ledgered?.entry?.model || started.model;
	return { ...started, model, startedAt };
}

/** @param onSend Gets the time at which it is sent. */
async function startByModel(
	context: OperationContext<StartRequest>,
	{ model, found: inCatalog }: Candidate,
	startPaid: StartPaid,
	onSend: (now: number) => void,
): Promise<StartedJob> {
	const { request, getState, httpOf, clock, recordId, countInFlight, accounts } = context;
	const { mediaType, ledger } = request;
	const found = 'entry' in inCatalog ? inCatalog.entry : undefined;
	const body = { ...(await buildStartBody(context)), model };
	const minimum = minimumJobCost(found?.pricing, body);
	const bound = minimum ?? noBoundOf(inCatalog);
	const caps = createCaps(request, getState('budget', emptySpending));
	let counted: ReturnType<Accounts['openStart']> | undefined;
	const started = await startPaid<StartResult>({
		...(ledger && { ledger: toStartLedger(context, ledger, model) }),
		async reserve(claim) {
			if (request.refusal) throw mapServiceError(request.refusal);
			const names = request.inputs.map(({ name }) => name);
			const settings = describeJobSettings(found?.pricing, request.body, names);
			counted = accounts.openStart({
				model: found?.id ?? model,
				settings: `${mediaType} ${settings}`,
				claim,
				label: request.label,
				lease: leaseOf(context),
			});
			return await reserve({ ...caps, ...counted.scopes }, () => bound);
		},
		costOf: (ended) => ('job' in ended ? readCost(ended.job, minimum?.microUsd) : undefined),
		async send(attempts) {
			onSend(clock.now());
			const beforeAttempt = async () => {
				await counted?.renew();
				return (await attempts.beforeAttempt?.()) ?? Infinity;
			};
			try {
				const job = await startJob(httpOf(model), mediaType, body, { beforeAttempt });
				recordId('mediaJob', job.jobId);
				counted?.setJob(mediaType, job.jobId);
				const odd = describeOddEstimate(job, minimum?.microUsd);
				if (odd) context.addHint(odd);
				return { job };
			} catch (cause) {
				const others = countInFlight() - 1;
				const balance = { leastMicroUsd: minimum?.microUsd, others };
				throw mapServiceError(cause, (error) =>
					explainMissingText(explainJobBalance(error, balance), request.body),
				);
			}
		},
	});
	return { ...started, model };
}

const noBoundOf = (found: FoundModel) =>
	'entry' in found
		? { unbounded: 'The catalog has no price for this model', remedy: PRICED_MODEL }
		: found;

/** The cost of a started job: the service's estimate, or the catalog's minimum if that is higher. A lower estimate would weaken a cap. */
function readCost(job: Job, minimum: Decimal | undefined) {
	const estimate = readEstimate(job, minimum);
	return estimate && minimum?.gt(estimate) ? minimum : estimate;
}

async function buildStartBody({
	request: { body, inputs },
	readFile,
}: OperationContext<StartRequest>) {
	const jobInputs: JobInput[] = [];
	for (const input of inputs) {
		const file = await openSource(input, readFile);
		const value = 'url' in file ? file.url : `data:${file.mimeType};base64,${file.base64}`;
		jobInputs.push({ name: input.name, value });
	}
	return addInputs(body, jobInputs);
}

/** Minimum milliseconds without a renewal after which a start counts as interrupted. */
const MIN_LEASE = 10 * 60_000;
/** Covers one attempt: a slow connection, then a slow response. */
const leaseOf = ({ idleTimeout }: Pick<OperationContext<unknown>, 'idleTimeout'>) =>
	Math.max(MIN_LEASE, 2 * idleTimeout);
/** Milliseconds added to the wait of Generate before the triggers check the job. */
const WAIT_MARGIN = 5 * 60_000;

/** Adapts the job ledger to the pipeline of paid starts. */
function toStartLedger(
	context: OperationContext<StartRequest>,
	{ uniqueKey, triggerGroup, waits }: NonNullable<StartRequest['ledger']>,
	model: string,
): StartLedger<StartResult> {
	const { request, origin, addHint } = context;
	const { mediaType } = request;
	const newStart = {
		uniqueKey,
		triggerGroup,
		mediaType,
		model,
		credentialId: origin.credentialId,
		lease: leaseOf(context),
		firstCheck: waits && waits + WAIT_MARGIN,
	};
	return {
		async claim() {
			const ledger = await openJobLedger(context, LONG_RETRY_ATTEMPTS).catch((cause: unknown) => {
				throw asNotStarted(cause);
			});
			const claim = await claimStart(ledger, newStart);
			if ('earlier' in claim) {
				const { earlier: entry } = claim;
				const difference = describeDifference(entry, mediaType, request.findChoice());
				if (difference)
					addHint(
						`The key "${uniqueKey}" was used before for ${difference}: its job ${entry.jobId} is returned, and nothing was started. Use a different key for each new job.`,
					);
				return { earlier: { job: toJob(entry), ledgered: { entry, startedBefore: true } } };
			}
			return {
				...claim,
				async recordStarted({ job }) {
					const entry = await claim.recordStarted(toEntryFields(job));
					if (!entry)
						addHint(
							`The job ${job.jobId} was started, but the job ledger could not be reached to record it. Its outcome there will be "unknown": use "Mark as Started" of the resource Job Ledger with this job ID.`,
						);
					return { job, ledgered: { entry, ...(uniqueKey && { startedBefore: false }) } };
				},
			};
		},
	};
}

/** How the recorded job of a key differs from the requested one. */
function describeDifference(
	entry: Entry,
	mediaType: MediaType,
	{ models }: ModelChoice,
): string | undefined {
	if (entry.mediaType !== mediaType) return `the media type "${mediaTypeLabel(entry.mediaType)}"`;
	const isOther = entry.model && !models.some((model) => isSameModel(model, entry.model));
	return isOther ? `the model ${entry.model}` : undefined;
}
