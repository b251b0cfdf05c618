import { writeFileSync } from 'node:fs';
import { loadavg } from 'node:os';
import { bootTable, type Boot } from './boots.ts';
import { chatModelTable } from './chatModels.ts';
import { goalTable, judge } from './goals.ts';
import type { ProfileSummary } from './profile.ts';
import type { Pairs } from './pairs.ts';
import { pollTables } from './pollFigures.ts';
import type { PollFigures } from './polls.ts';
import { queueTables, type QueueFigures } from './queueRows.ts';
import { rateTable, type RateFigure } from './rateFigures.ts';
import type { Result } from './results.ts';
import type { Sizes } from './rows.ts';
import type { Sample } from './sample.ts';
import { aligned, tables, times } from './table.ts';
import { formerBridge } from './turnGoals.ts';
import { waitingTable, type Waiting } from './waiting.ts';

export interface Measured {
	results: Result[];
	/** By job. */
	profiles: Record<string, ProfileSummary>;
	/** Microseconds per item that our node takes by itself. */
	ownShare: number | undefined;
	/** Microseconds per turn that our conversation node takes by itself. */
	ownTurn: number | undefined;
	/** Of the rate limit, in virtual time. */
	rates: RateFigure[];
	waiting: Waiting[];
	polls: PollFigures[];
	/** Of the AI Agent, by case. */
	chatModels: Array<Pairs<Sample>>;
	boots: Pairs<Boot> | undefined;
	queue: QueueFigures;
	sizes: Sizes;
	rounds: number;
	/** Whether it is long enough to judge anything by it. */
	judged: boolean;
}

/** Keeps everything in a file, as JSON. @returns what a person wants to know of it */
export function report(file: string, measured: Measured): string {
	const { judged, rounds, sizes, results, profiles, ...figures } = measured;
	const { waiting, polls, chatModels, boots, rates, queue } = figures;
	const goals = judged ? judge(results, sizes, figures) : [];
	const about = { date: new Date().toISOString(), node: process.version, rounds, sizes };
	const all = { ...about, load: loadavg(), ...figures, results, goals, profiles };
	writeFileSync(file, JSON.stringify(all, null, '\t'));
	return [
		'A ratio is "of wall time / of CPU time", both of the minima. CPU is of n8n or, for raw rows, of the raw client.',
		tables(results, sizes),
		...(results.some(({ job }) => job === 'turns') ? [formerBridge] : []),
		`Questions to the market assistant by five executions at once, in virtual time\n${rateTable(rates)}`,
		...(waiting.length ? [waitingTable(waiting, sizes.waiting)] : []),
		...(polls.length ? [pollTables(polls)] : []),
		...(chatModels.length ? [chatModelTable(chatModels)] : []),
		...(boots ? [bootTable(boots)] : []),
		...queueTables(queue, sizes.queue),
		goals.length ? goalTable(goals) : 'Too short to judge the goals by.',
		...Object.entries(profiles).map(([job, summary]) => shareOf(job, summary)),
		`Written to ${file}`,
	].join('\n\n');
}

function shareOf(job: string, profile: ProfileSummary): string {
	const { ours, ownMicrosecondsPerItem, garbageMicrosecondsPerItem } = profile;
	const unit = job === 'items' ? 'item' : 'event';
	const lines = ours
		.slice(0, 12)
		.map((entry) => [`  ${entry.function}`, times(entry.microsecondsPerItem)]);
	return `Our own share of "${job}": ${times(ownMicrosecondsPerItem)} us per ${unit}, besides ${times(garbageMicrosecondsPerItem)} us of garbage collection\n${aligned(lines)}`;
}
