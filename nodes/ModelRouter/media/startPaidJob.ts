import { mapServiceError, ServiceError } from '../../../src/core/errors';
import type { OperationContext, PreflightContext } from '../../../src/n8n/operation';
import type { SendAttempts } from '../../../src/n8n/startPaid';
import { isBalanceTooSmall, explainJobBalance } from '../../../src/router/advice';
import type { Job } from '../../../src/router/jobRecord';
import { addInputs, type JobInput, startJob } from '../../../src/router/jobStart';
import { checkKind, kindOfMediaType } from '../../../src/router/model';
import { minimumJobCost, type MinimumJobCost } from '../../../src/router/pricing';
import {
	addEstimate,
	markSpendingUnknown,
	unknownCostError,
	checkMinimumCost,
	checkExecutionCap,
	emptySpending,
} from '../../../src/router/spendingCap';
import { checkAgainstCatalog, findCachedModel } from '../catalog';
import { spendingCapPerItemParam } from '../acrossResources.params';
import { toStartLedger, type StartedJob } from './jobLedger';
import { checkAgentAllowed, startOptions, type StartRequest } from './start.params';

/** Rejects AI agents without permission, missing files, models of another kind, and jobs whose minimum cost exceeds a cap or is not known. */
export async function checkStart({
	request: { mediaType, model, body, inputs, allowAgents, allowUnknownCost, ...caps },
	asTool,
	lookUp,
	findFile,
}: PreflightContext<StartRequest>): Promise<void> {
	checkAgentAllowed(asTool, allowAgents);
	for (const { binaryProperty, path } of inputs)
		if (binaryProperty !== undefined) findFile(binaryProperty, path);
	await checkAgainstCatalog({ lookUp }, model, (found) => {
		const entry = 'entry' in found ? found.entry : undefined;
		if (entry) checkKind(entry, kindOfMediaType(mediaType));
		const minimum = minimumJobCost(entry?.pricing, body);
		if (minimum) return checkCaps(minimum, caps);
		if (allowUnknownCost) return;
		throw unknownCostError(
			'missing' in found ? found.missing : 'the catalog has no price for this model',
		);
	});
}

function checkCaps(
	minimum: MinimumJobCost,
	{
		spendingCapPerItem,
		spendingCapPerExecution,
	}: Pick<StartRequest, 'spendingCapPerItem' | 'spendingCapPerExecution'>,
): void {
	checkMinimumCost(minimum, spendingCapPerItem, spendingCapPerItemParam.displayName);
	if (spendingCapPerExecution === undefined) return;
	const { displayName } = startOptions.spendingCapPerExecution;
	checkMinimumCost(minimum, spendingCapPerExecution, displayName);
}

/** Starts a job unless it was started before. With a cap per execution, starts run one after another, so that each knows the costs of the earlier ones. */
export async function startPaidJob(context: OperationContext<StartRequest>): Promise<StartedJob> {
	const { mediaType, spendingCapPerExecution, ledger } = context.request;
	const spending = context.getState('spending', emptySpending);
	const start = async () => {
		const body = await buildStartBody(context);
		return await context.startPaid<StartedJob>({
			request: { mediaType, body },
			...(ledger && { ledger: toStartLedger(context, ledger) }),
			...(spendingCapPerExecution !== undefined && {
				checkCap: () => checkExecutionCap(spending, spendingCapPerExecution),
			}),
			send: async (attempts) => ({ job: await sendStart(context, body, spending, attempts) }),
		});
	};
	return spendingCapPerExecution === undefined ? await start() : await context.runSerially(start);
}

/** Sends a start, records its ID immediately, and adds its cost to the spending of the execution. */
async function sendStart(
	context: OperationContext<StartRequest>,
	body: Record<string, unknown>,
	spending: ReturnType<typeof emptySpending>,
	attempts: SendAttempts,
): Promise<Job> {
	const { request, http, recordId, countInFlight } = context;
	const { mediaType, model, spendingCapPerExecution } = request;
	const findMinimumCost = async () =>
		minimumJobCost((await findCachedModel(context, model))?.pricing, body)?.microUsd;
	// looked up before the start: the response must be recorded without delay
	const minimumCost = spendingCapPerExecution === undefined ? undefined : await findMinimumCost();
	try {
		const job = await startJob(http, mediaType, body, attempts);
		recordId('mediaJob', job.jobId);
		addEstimate(spending, job.estimatedCostMicroUsd, minimumCost);
		return job;
	} catch (cause) {
		const serviceError = cause instanceof ServiceError ? cause : undefined;
		if (serviceError?.details.outcome === 'unknown') markSpendingUnknown(spending);
		const leastMicroUsd =
			serviceError && isBalanceTooSmall(serviceError) ? await findMinimumCost() : undefined;
		throw mapServiceError(cause, (error) =>
			explainJobBalance(error, { leastMicroUsd, others: countInFlight() - 1 }),
		);
	}
}

async function buildStartBody({
	request: { body, inputs },
	readFile,
}: OperationContext<StartRequest>) {
	const jobInputs: JobInput[] = [];
	for (const { path, name, url, binaryProperty = '' } of inputs) {
		if (url !== undefined) {
			jobInputs.push({ name, value: url });
			continue;
		}
		const { mimeType, base64 } = await readFile(binaryProperty, path);
		jobInputs.push({ name, value: `data:${mimeType};base64,${base64}` });
	}
	return addInputs(body, jobInputs);
}
