import { atLeast, findAllRows, noneOf, type Table, where } from '../tables/table';

/** The most labels of one month: the rows of all of them have to be read. */
export const MAX_LABELS = 2000;
/** The label of what has one too many. */
export const OTHER_LABEL = 'other';

const TOO_MANY_LABELS = `This month has ${MAX_LABELS} Spending Labels: what has another one counts as "${OTHER_LABEL}"`;

interface Labeled {
	day: string;
	label: string;
}
type LabeledRow = Labeled & { id: number };

/** What to say about the labels of some entries, if there is anything. @param others Those that are too many. */
export const describeLabels = (entries: readonly Labeled[], others: ReadonlySet<string>): string =>
	entries.some(({ label }) => others.has(label)) ? TOO_MANY_LABELS : '';

/**
 * Makes the function that finds out which labels are too many. What this process knows of the month is kept: several processes at the
 * same time may add a few more.
 */
export function createLabelLimit() {
	let month = '';
	let known = new Set<string>();
	return async (
		table: Pick<Table<LabeledRow>, 'find'>,
		entries: readonly Labeled[],
	): Promise<Set<string>> => {
		const others = new Set<string>();
		for (const { day, label } of entries) {
			if (!label) continue;
			const ofMonth = atLeast(day.slice(0, 7));
			if (month !== day.slice(0, 7)) {
				const rows = await findAllRows(table, { day: ofMonth, label: noneOf('') });
				known = new Set(rows.map((row) => row.label).filter(Boolean));
				month = day.slice(0, 7);
			}
			if (known.has(label)) continue;
			if (known.size < MAX_LABELS) known.add(label);
			else if (!(await table.find(where<LabeledRow>({ day: ofMonth, label }), { limit: 1 })).length)
				others.add(label);
		}
		return others;
	};
}
