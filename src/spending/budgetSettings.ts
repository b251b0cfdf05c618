import { cutText, invalidInputError } from '../core/errors';
import { type Decimal, floorToMicroUsd, readDecimal } from '../core/money';
import type { BudgetLimit } from './budgetState';
import type { PeriodLength } from './periods';

/** The fields of the credential that are for its budget. */
export interface BudgetSettings extends BudgetLimit {
	/** Micro-dollars that count for a request without a bound; without it, such a request is refused. */
	unknownCost: Decimal | undefined;
	/** Whether operations may resume a paused budget, and release reservations. */
	mayResume: boolean;
	/** The Data Table of the budget, by its name or ID. */
	table: string;
	/** Percentages of the amount. When this much is spent, the triggers get an alarm. */
	alarmPercents: Decimal[];
}

/**
 * Reads the fields of the credential that are for its budget.
 *
 * @returns undefined without a budget.
 * @throws ServiceError `invalid` for an amount that cannot be read, or without a job ledger: it must not mean that there is no budget.
 */
export function readBudgetSettings(data: Record<string, unknown>): BudgetSettings | undefined {
	const amount = readAmount(data, 'budgetUsd', 'Budget (USD)');
	if (!amount) return undefined;
	if (data['useJobLedger'] !== true)
		throw invalidInputError(
			'"Budget (USD)" of the credential only works with "Use a Job Ledger"',
			'Nothing was sent, because nothing would keep to the budget. Turn on "Use a Job Ledger" in the credential, or empty "Budget (USD)".',
		);
	const length = data['budgetPeriod'] ?? 'month';
	return {
		amount,
		length: length === 'day' || length === 'week' ? length : ('month' satisfies PeriodLength),
		mayRaiseBy: readAmount(data, 'workflowsMayRaiseBy', 'Workflows May Raise By (USD)'),
		unknownCost: readAmount(data, 'unknownCostUsd', 'Count Unknown Cost As (USD)'),
		mayResume: data['workflowsMayResume'] === true,
		table: cutText(String(data['ledgerTable'] ?? '').trim(), 100),
		alarmPercents: readPercents(data['alarmPercents'] ?? '80, 100'),
	};
}

function readPercents(value: unknown): Decimal[] {
	const texts = String(value).split(/[\s,;%]+/);
	return texts.filter(Boolean).map((text) => {
		const percent = readDecimal(text);
		if (percent?.gt(0)) return percent;
		throw invalidInputError(
			`Alarms At (Percent) of the credential has "${cutText(text, 20)}", which is not a percentage`,
			'Nothing was sent. Enter numbers such as 80, 100 in the credential.',
		);
	});
}

function readAmount(data: Record<string, unknown>, name: string, field: string) {
	// an expression that finds nothing gives null, undefined or an empty list, which is not an empty field
	const text = String(name in data ? data[name] : '').trim();
	if (!text && !Array.isArray(data[name])) return undefined;
	const amount = floorToMicroUsd(text);
	if (amount) return amount;
	throw invalidInputError(
		`${field} of the credential is not an amount`,
		'Nothing was sent. Enter a number such as 50 or 0.5 in the credential, without a currency.',
	);
}
