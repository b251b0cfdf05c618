/** A number that can be added to others. */
export const isAmount = (value: unknown): value is number =>
	typeof value === 'number' && Number.isFinite(value) && value >= 0;

/** @returns undefined if there is nothing to add. */
export function sumOf(values: readonly unknown[]): number | undefined {
	const amounts = values.filter(isAmount);
	const sum = amounts.reduce((before, amount) => before + amount, 0);
	return amounts.length && isAmount(sum) ? sum : undefined;
}
