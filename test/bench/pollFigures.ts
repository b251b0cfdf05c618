import type { Figure } from './goals.ts';
import { over } from './numbers.ts';
import { POLL_CONCURRENCY, type PollFigures, type PollSample } from './polls.ts';
import { aligned, times } from './table.ts';

/** Seconds in which a poll asks, and after which it is over, whatever happens: `src/n8n/runPoll.ts`. */
const [ASKING, BUDGET] = [24, 40];

type Measure = keyof PollSample;

const sorted = (samples: PollSample[], measure: Measure) =>
	samples
		.map((sample) => sample[measure])
		.filter((value) => value !== undefined)
		.sort((one, other) => one - other);

const least = (samples: PollSample[], measure: Measure) => sorted(samples, measure)[0];
const most = (samples: PollSample[], measure: Measure) => sorted(samples, measure).at(-1);
const median = (samples: PollSample[], measure: Measure) => {
	const all = sorted(samples, measure);
	return all[Math.floor(all.length / 2)];
};
const sum = (samples: PollSample[], measure: Measure) =>
	samples.reduce((total, sample) => total + (sample[measure] ?? 0), 0);

/** CPU of all that works for a poll: n8n keeps the ledger. */
const bothCpu = (samples: PollSample[]) =>
	samples
		.flatMap(({ cpu, cpuOfN8n }) =>
			cpu === undefined || cpuOfN8n === undefined ? [] : [cpu + cpuOfN8n],
		)
		.sort((one, other) => one - other)[0];

/** Requests to n8n for a thousand jobs that were asked for, all polls together. */
const toN8nPerThousand = ({ polls }: PollFigures) =>
	over(1000 * sum(polls, 'toN8n'), sum(polls, 'asked'));

/** Of the requests that so many at a time could have made at this latency in the time of the polls. */
const ofPossible = ({ latency, polls }: PollFigures) =>
	over(sum(polls, 'asked') * latency, sum(polls, 'wall') * 1000 * POLL_CONCURRENCY);

/** What a poll has to be good for. The goals of the performance notes are G10 and G11. */
export function pollGoals(figures: PollFigures[]): Figure[] {
	return figures.flatMap((one): Figure[] => {
		const { name, latency, polls, raw, httpRequest, tooEarly, unready } = one;
		const ofAll: Figure[] = [
			['P', `${name}: longest poll, s`, most(polls, 'wall'), BUDGET],
			['P', `${name}: requests too early`, tooEarly, 0],
			['P', `${name}: requests to n8n per 1000 asked`, toN8nPerThousand(one), 25],
			['P', `${name}: most in flight`, most(polls, 'mostInFlight'), POLL_CONCURRENCY],
			['G11', `${name}: RSS growth of a poll, MB`, most(polls.slice(1), 'growth'), 50],
			['G11', `${name}: looks at which n8n was not ready`, unready, 0],
		];
		const share = over(1, ofPossible(one) || undefined);
		if (latency) return [...ofAll, ['P', `${name}: x perfect use of the time`, share, 1.25]];
		if (!raw.length) return ofAll;
		const wall = least(polls, 'wall');
		return [
			...ofAll,
			['G10', `${name}: wall, x HTTP Request`, over(wall, least(httpRequest, 'wall')), 0.25],
			[
				'G10',
				`${name}: CPU with n8n's, x HTTP Request`,
				over(bothCpu(polls), least(httpRequest, 'cpu')),
				0.25,
			],
			['G10', `${name}: wall, x raw undici c8`, over(wall, least(raw, 'wall')), 8],
		];
	});
}

const headings = [
	'',
	'runs',
	'wall s',
	'median',
	'longest',
	'asked',
	'median',
	'jobs/s',
	'CPU s',
	"n8n's",
	'to service',
	'to n8n',
	'in flight',
	'RSS + MB',
	"n8n's",
	'others busy',
];

export function pollTables(figures: PollFigures[]): string {
	return figures
		.map((one) => {
			const { name, polls, raw, httpRequest, untilAll, tooEarly, looks, unready } = one;
			const rows = [
				['poll', polls],
				['raw undici c8', raw],
				['HTTP Request + header auth', httpRequest],
			] as const;
			const table = aligned([
				headings,
				...rows.filter(([, samples]) => samples.length).map(([row, samples]) => line(row, samples)),
			]);
			const possible = one.latency
				? `; ${percent(ofPossible(one))} of what ${POLL_CONCURRENCY} at once could ask`
				: '';
			return [
				`a trigger that watches ${name}: polled once a minute, it asks for ${ASKING} s at most`,
				table,
				`all asked for after ${untilAll ?? 'no'} polls; ${tooEarly} requests too early; ${times(toN8nPerThousand(one))} requests to n8n per 1000 asked${possible}; n8n not ready at ${unready} of ${looks} looks`,
			].join('\n');
		})
		.join('\n\n');
}

function line(name: string, samples: PollSample[]): string[] {
	return [
		name,
		String(samples.length),
		times(least(samples, 'wall')),
		times(median(samples, 'wall')),
		times(most(samples, 'wall')),
		whole(least(samples, 'asked')),
		whole(median(samples, 'asked')),
		whole(over(sum(samples, 'toService'), sum(samples, 'wall'))),
		times(median(samples, 'cpu')),
		times(median(samples, 'cpuOfN8n')),
		whole(median(samples, 'toService')),
		whole(median(samples, 'toN8n')),
		whole(most(samples, 'mostInFlight')),
		whole(most(samples, 'growth')),
		whole(most(samples, 'growthOfN8n')),
		times(median(samples, 'others')),
	];
}

const whole = (value: number | undefined) =>
	value === undefined ? '-' : String(Math.round(value));

const percent = (value: number | undefined) =>
	value === undefined ? '-' : `${(value * 100).toFixed(0)} %`;
