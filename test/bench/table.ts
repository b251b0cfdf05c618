import { find, least, median, most, ratio, type Result } from './results.ts';
import type { Job } from './row.ts';
import type { Sample } from './sample.ts';
import { titles, type Sizes } from './rows.ts';

/** What the rows of a job are divided by, with the heading of the column. */
const compared: Record<Job, Array<[heading: string, row: string]>> = {
	items: [
		['x undici', 'raw undici c20'],
		['x axios', 'raw axios c20'],
		['x HTTP Req.', 'HTTP Request + header auth'],
		['x OpenAI', 'OpenAI v2'],
	],
	late: [['x undici', 'raw undici c20']],
	slow: [
		['x undici c20', 'raw undici c20'],
		['x undici c50', 'raw undici c50'],
	],
	long: [
		['x raw', 'raw http + parser'],
		['x HTTP Req.', 'HTTP Request as text'],
		['x Agent', 'AI Agent, streamed'],
	],
	live: [
		['x raw', 'raw http + parser'],
		['x Agent', 'AI Agent + OpenAI Chat Model'],
	],
	paced: [['x raw', 'raw http']],
	file: [
		['x raw', 'raw http'],
		['x raw to file', 'raw http to a file'],
		['x HTTP Req.', 'HTTP Request + header auth'],
	],
	turns: [['x Agent', 'AI Agent, the speakers as its tools']],
	large: [['x HTTP Req.', 'HTTP Request + header auth']],
};

/** What a reader of a live answer sees, the medians of all rounds. */
const seen: Array<[heading: string, measure: keyof Sample]> = [
	['first ms', 'first'],
	['lag', 'lag'],
	['95 %', 'lag95'],
	['longest', 'longestLag'],
];

/** What n8n has stored of a conversation. */
const turns: typeof seen = [
	['ms a turn', 'turn'],
	['no speakers', 'engine'],
	['data kB', 'stored'],
];

const seenIn = (job: Job) => (job === 'paced' ? seen : job === 'turns' ? turns : []);

/** One table per job; a ratio is "of wall time / of CPU time", both of the minima. */
export function tables(results: Result[], sizes: Sizes): string {
	const jobs = [...new Set(results.map(({ job }) => job))];
	return jobs
		.map((job) => {
			const rows = results.filter((result) => result.job === job);
			return `${titles(sizes)[job]}\n${aligned([headings(job), ...rows.map((row) => line(row, results))])}`;
		})
		.join('\n\n');
}

const headings = (job: Job) => [
	'',
	'wall ms',
	'median',
	'CPU ms',
	'median',
	...compared[job].map(([heading]) => heading),
	...seenIn(job).map(([heading]) => heading),
	'in flight',
	'requests',
	'connections',
	'RSS + MB',
	'others busy',
];

function line(result: Result, results: Result[]): string[] {
	const cpu = (value: number | undefined) => value && value * 1000;
	return [
		result.name,
		whole(least(result, 'wall')),
		whole(median(result, 'wall')),
		whole(cpu(least(result, 'cpu'))),
		whole(cpu(median(result, 'cpu'))),
		...compared[result.job].map(([, name]) => {
			const against = find(results, result.job, name);
			return `${times(ratio(result, against, 'wall'))} / ${times(ratio(result, against, 'cpu'))}`;
		}),
		...seenIn(result.job).map(([, measure]) => times(median(result, measure))),
		whole(most(result, 'mostInFlight')),
		whole(median(result, 'requests')),
		whole(median(result, 'connections')),
		whole(most(result, 'growth')),
		times(median(result, 'others')),
	];
}

const whole = (value: number | undefined) =>
	value === undefined ? '-' : String(Math.round(value));

export const times = (value: number | undefined): string =>
	value === undefined ? '-' : value < 9.95 ? value.toFixed(2) : value.toFixed(1);

/** Columns side by side, the first one to the left. */
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
				.join('  '),
		)
		.join('\n');
}
