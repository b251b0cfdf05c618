import { createExecutionCap, createRequestCap } from '../../../src/core/caps';
import type { Entry } from '../../../src/ledger/entry';
import type { OperationContext, PreflightContext, Uses } from '../../../src/n8n/operation';
import { choose, type Chosen, hintPassedOver, payInTurn } from '../../../src/paid/choose';
import { type JobCall, judgeJob, toJobCall } from '../../../src/paid/call';
import { payJob, createStartLedger, type LedgerResult } from '../../../src/paid/payJob';
import { addInputs, type JobInput } from '../../../src/router/jobStart';
import { isSameModel, type MediaType } from '../../../src/router/model';
import type { ModelChoice } from '../../../src/core/modelLists';
import { LONG_RETRY_ATTEMPTS } from '../../../src/tables/retries';
import { openSource } from '../acrossResources.params';
import { isStartedBefore, openJobLedger, requireFetchable } from '../ledger/jobEntry';
import { WAIT_MARGIN } from './deliverInNode';
import { countStart, spendingOf } from './executionSpending';
import { mediaTypeLabel } from './media.params';
import { checkAgentAllowed, type StartRequest } from './start.params';
import { noteReused, payUnlessPaid } from './whileBuilding';

/**
 * Chooses the models for a start, and rejects AI agents without permission and missing files.
 *
 * @throws ServiceError `invalid` if no model can make it, unless its key has started a job, which is returned.
 */
export async function chooseStart(
	context: PreflightContext<StartRequest>,
): Promise<Chosen<JobCall>> {
	const { request, asTool, findFile } = context;
	const { inputs, allowAgents, ledger, body } = request;
	checkAgentAllowed(asTool, allowAgents);
	if (ledger) requireFetchable(context);
	for (const input of inputs) openSource(input, findFile);
	const limits = {
		...request,
		caps: {
			item: createRequestCap('item', request.spendingCapPerItem),
			execution: createExecutionCap(request.spendingCapPerExecution),
			conversation: request.conversation,
		},
	};
	const choice = request.findChoice();
	const { lookUp, addHint } = context;
	const chosen = await choose({ lookUp, addHint }, choice, (candidate) =>
		judgeJob(limits, candidate, body),
	);
	if (!('refusal' in chosen)) return chosen;
	const { refusal } = chosen;
	if (!(await isStartedBefore(context, ledger?.uniqueKey))) throw refusal;
	// the claim returns the job. If it finds none any more, nothing is sent
	const [model = ''] = choice.models;
	const found = { unbounded: 'the request is refused' };
	const call = toJobCall({ ...limits, refusal }, { model, found, find: () => found }, body);
	return { calls: [call], passedOver: [] };
}

/**
 * Starts a job by the first model that can, unless it was started before. With a cap per execution, starts run one after another, because
 * each counts the costs of the earlier ones.
 *
 * @returns also when it was sent; undefined if it was started before.
 */
export async function startPaidJob(context: OperationContext<StartRequest, Chosen<JobCall>>) {
	const { request, checked, httpOf, addHint } = context;
	const { body, inputs, spendingCapPerExecution } = request;
	const start = async () =>
		await context.payOnce(async (startPaid) => {
			const files = await readInputs(context);
			return await payUnlessPaid(context, files, async () => {
				const spending = spendingOf(context);
				const execution = createExecutionCap(spendingCapPerExecution, spending, true);
				const { answer, passedOver } = await payInTurn(checked, async (chosen) => {
					const { model, caps } = chosen;
					const limited = { ...chosen, caps: { ...caps, execution } };
					const call = files.length ? toJobCall(limited, limited, addInputs(body, files)) : limited;
					return await payJob(call, {
						...context,
						http: httpOf(model),
						startPaid,
						ledger: openStartLedger(context, model),
						asked: { body, inputs: inputs.map(({ name }) => name) },
						lease: leaseOf(context),
					});
				});
				hintPassedOver(addHint, checked?.list, passedOver);
				if (execution) countStart(context, answer);
				return answer;
			});
		});
	const { sentAt, isRemembered, ...started } = await (spendingCapPerExecution === undefined
		? start()
		: context.runSerially(start));
	hintLedger(context, started);
	noteReused(context, started);
	return { ...started, startedAt: isRemembered ? undefined : sentAt };
}

async function readInputs({ request, readFile }: OperationContext<StartRequest>) {
	const files: JobInput[] = [];
	for (const input of request.inputs) {
		const file = await openSource(input, readFile);
		const value = 'url' in file ? file.url : `data:${file.mimeType};base64,${file.base64}`;
		files.push({ name: input.name, value });
	}
	return files;
}

/** Minimum milliseconds without a renewal after which a start counts as interrupted. */
const MIN_LEASE = 10 * 60_000;
/** Covers one attempt: a slow connection, then a slow response. */
const leaseOf = ({ idleTimeout }: Uses<'idleTimeout'>) => Math.max(MIN_LEASE, 2 * idleTimeout);

function openStartLedger(context: OperationContext<StartRequest>, model: string) {
	const { request, origin } = context;
	const { mediaType, ledger } = request;
	if (!ledger) return undefined;
	const { uniqueKey, triggerGroup, waits } = ledger;
	return createStartLedger(async () => await openJobLedger(context, LONG_RETRY_ATTEMPTS), {
		uniqueKey,
		triggerGroup,
		mediaType,
		model,
		credentialId: origin.credentialId,
		lease: leaseOf(context),
		firstCheck: waits && waits + WAIT_MARGIN,
	});
}

/** Says what of the ledger the user has to know. */
function hintLedger(
	{ request, addHint }: OperationContext<StartRequest>,
	{ job: { jobId }, ledgered }: { job: { jobId: string }; ledgered?: LedgerResult },
): void {
	if (!ledgered) return;
	const { entry, startedBefore } = ledgered;
	if (!entry)
		addHint(
			`The job ${jobId} was started, but the job ledger could not be reached to record it. Its outcome there will be "unknown": use "Mark as Started" of the resource Job Ledger with this job ID.`,
		);
	const difference =
		entry && startedBefore && describeDifference(entry, request.mediaType, request.findChoice());
	if (difference)
		addHint(
			`The key "${entry.uniqueKey}" was used before for ${difference}: its job ${jobId} is returned, and nothing was started. Use a different key for each new job.`,
		);
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
