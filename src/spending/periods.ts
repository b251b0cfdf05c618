/** The length of a period, in UTC. A week begins on Monday. */
export type PeriodLength = 'day' | 'week' | 'month';

/** A day in UTC, e.g. `2026-11-24`. @param time Milliseconds since 1970. */
export const toDay = (time: number): string => new Date(time).toISOString().slice(0, 10);

/** The month of a day, e.g. `2026-11`. */
export const toMonth = (day: string): string => day.slice(0, 7);

/** The first day of a period, and the first one after it. */
export function periodOf(day: string, length: PeriodLength): { start: string; end: string } {
	const start = new Date(`${day}T00:00:00Z`);
	if (length === 'month') start.setUTCDate(1);
	if (length === 'week') start.setUTCDate(start.getUTCDate() - ((start.getUTCDay() + 6) % 7));
	const end = new Date(start);
	if (length === 'month') end.setUTCMonth(end.getUTCMonth() + 1);
	else end.setUTCDate(end.getUTCDate() + (length === 'week' ? 7 : 1));
	return { start: toDay(start.getTime()), end: toDay(end.getTime()) };
}
