import type { SharedBudget } from '../../src/core/accounts';
import { ServiceError } from '../../src/core/errors';
import { Big } from '../../src/core/money';
import type { BudgetState } from '../../src/spending/budgetState';
import { type PeriodLength, periodOf, toDay } from '../../src/spending/periods';
import type { createWorld } from './world';

/** What a person has approved for a request that a budget has refused. */
interface Approval {
	request: string;
	/** Micro-dollars. */
	amount: number;
	executionId: string;
	/** Undefined as long as its execution does not know. */
	outcome?: 'raised' | 'refused';
}

/** From the refusal to the approval, in milliseconds: at once, or after a while. */
const WAITS = [2000, 20_000];

/**
 * People who approve what a budget has refused: some later, some two at once. n8n may run their node again.
 *
 * @param open Opens the budget in some process. What has been refused is asked for again with `goOn`.
 */
export function createApprovals(
	{ random, at, say, now }: ReturnType<typeof createWorld>,
	open: (name: string) => Pick<SharedBudget['actions'], 'raise'> & {
		executionId: string;
		goOn(): void;
	},
) {
	const approvals: Approval[] = [];
	const wrong: string[] = [];

	const approve = async (request: string, missing: number) => {
		const { executionId, raise, goOn } = open(`approval${approvals.length}`);
		const amount = Math.ceil(missing * (0.5 + random()));
		const approval: Approval = { request, amount, executionId };
		approvals.push(approval);
		const [length, start] = request.split(':') as [PeriodLength, string];
		const isOfPeriod = (time: number) => periodOf(toDay(time), length).start === start;
		const begun = now();
		for (let runs = random() < 0.2 ? 2 : 1; runs > 0; runs--)
			try {
				await raise({ request, amount: new Big(amount), reason: 'yes' });
				approval.outcome = 'raised';
				say(executionId, `RAISES ${amount} for ${request}`);
				if (!isOfPeriod(begun - 2000) && !isOfPeriod(now()))
					wrong.push(`${executionId} has raised another period than ${request}`);
			} catch (cause) {
				say(executionId, String(cause));
				// one that was lost may be in the row
				if (cause instanceof ServiceError && cause.kind === 'invalid')
					approval.outcome ??= 'refused';
			}
		if (approval.outcome === 'raised') goOn();
	};

	return {
		/** @param refused From the error. */
		ask({ request, missingUsd }: Record<string, unknown>) {
			const waits = random() * WAITS[random() < 0.5 ? 0 : 1]!;
			for (let people = random() < 0.3 ? 2 : 1; people > 0; people--)
				at(waits + random() * 100, () => {
					void approve(String(request), Math.ceil(Number(missingUsd) * 1e6));
				});
		},
		/** Micro-dollars by which the row raises a period. */
		raisedIn: ({ raises = {} }: BudgetState, period: string) =>
			Object.entries(raises).reduce(
				(sum, [request, { amount }]) =>
					sum + (request.includes(`:${period}:`) ? Number(amount) : 0),
				0,
			),
		/** What is wrong about the raises in the row. */
		check({ raises = {} }: BudgetState): string[] {
			const isInRow = ({ request, executionId, amount }: Approval) =>
				raises[request]?.executionId === executionId && raises[request].amount === String(amount);
			for (const approval of approvals) {
				const { outcome, executionId, request } = approval;
				if (outcome && isInRow(approval) !== (outcome === 'raised'))
					wrong.push(
						`${executionId} was ${outcome}, and the row has ${JSON.stringify(raises[request])}`,
					);
			}
			const unknown = Object.keys(raises).length - approvals.filter(isInRow).length;
			return unknown ? [...wrong, `${unknown} raises that nobody has approved`] : wrong;
		},
	};
}
