import { goalsOf, type Goal } from './goals';
import type { Soaked } from './soak';

/** What a person reads at the end. */
export function tableOf(soaked: Soaked): string {
	const { byScenario, struck, booked, files, failed, notStarted, recovered, seconds } = soaked;
	const scenarios = byScenario.map(({ name, jobs, ...counts }) =>
		[name, jobs, counts.files, counts.unknown].map(String),
	);
	const troubles = [...struck]
		.sort(([one], [other]) => one.localeCompare(other))
		.map(([name, times]) => [name, String(times)]);
	return [
		`${seconds.toFixed(0)} s: ${booked} jobs booked by the service, ${files} files (${recovered} of them brought later, by the job's id), ` +
			`${failed} failed at the service, ${notStarted} not started.`,
		aligned([['', 'jobs', 'files', 'unknown'], ...scenarios]),
		aligned([['requests', 'times'], ...troubles]),
		...markedGoals(goalsOf(soaked)),
	].join('\n\n');
}

/** The goals as a table, and then which ones each missed goal is about. */
export function markedGoals(goals: Goal[]): string[] {
	const marks = goals.map(({ what, figure, goal, met }) => [
		what,
		figure,
		goal,
		met ? 'met' : 'MISSED',
	]);
	return [
		aligned([['', 'figure', 'goal', ''], ...marks]),
		...goals
			.filter(({ met }) => !met)
			.map(({ what, which }) => `${what}: ${which.slice(0, 20).join(', ')}`),
	];
}

export function aligned(rows: string[][]): string {
	const widths = (rows[0] ?? []).map((_, column) =>
		Math.max(...rows.map((row) => row[column]?.length ?? 0)),
	);
	return rows
		.map((row) =>
			row
				.map((cell, column) =>
					column ? cell.padStart(widths[column] ?? 0) : cell.padEnd(widths[column] ?? 0),
				)
				.join('  ')
				.trimEnd(),
		)
		.join('\n');
}
