import { aligned } from '../support/aligned.ts';
import type { Figure, Measure, Row, Sample, Samples } from './row.ts';

/** Takes a sample. */
export type Take = () => Promise<Sample>;

/**
 * Takes samples of all variants in turns: whatever else the machine does, it does to all of them. Each round begins with
 * another variant, because what one leaves behind, the next pays for.
 */
export async function interleave(rounds: number, variants: Record<string, Take>): Promise<Samples> {
	const all = Object.entries(variants).map(([name, take]) => ({
		name,
		take,
		samples: [] as Sample[],
	}));
	for (let round = 0; round < rounds; round++) {
		const from = round % all.length;
		for (const { take, samples } of [...all.slice(from), ...all.slice(0, from)])
			samples.push(await take());
	}
	return Object.fromEntries(all.map(({ name, samples }) => [name, samples]));
}

export interface Spread {
	least: number;
	median: number;
	most: number;
}

export interface Judged {
	text: string;
	value: number | undefined;
	/** of all rounds */
	spread: Spread | undefined;
	/** the same from the least of each variant: other work on the machine only adds to a time */
	ofLeast: number | undefined;
	atMost: number | undefined;
	/** undefined without a goal or without a value */
	met: boolean | undefined;
}

export function judge(figure: Figure, samples: Samples): Judged {
	const { measure, of = Object.keys(samples)[0] ?? '', minus, over, atMost } = figure;
	const combined = (valueOf: (variant: string) => number | undefined) => {
		const value = valueOf(of);
		const less = minus ? valueOf(minus) : 0;
		const divisor = over ? valueOf(over) : 1;
		if (value === undefined || less === undefined || !divisor) return undefined;
		return (value - less) / divisor;
	};
	const rounds = (samples[of] ?? []).map((_, round) =>
		combined((variant) => samples[variant]?.[round]?.[measure]),
	);
	const spread = spreadOf(rounds);
	const value = spread?.[figure.by ?? 'median'];
	const parts = [measure, of, minus && `less ${minus}`, over && `over ${over}`];
	return {
		text: parts.filter(Boolean).join(', '),
		value,
		spread,
		atMost,
		ofLeast: combined((variant) => spreadOf(valuesOf(samples[variant], measure))?.least),
		met: value === undefined || atMost === undefined ? undefined : value <= atMost,
	};
}

const valuesOf = (samples: Sample[] | undefined, measure: Measure) =>
	(samples ?? []).map((sample) => sample[measure]);

/** @returns undefined where a value is missing */
function spreadOf(values: Array<number | undefined>): Spread | undefined {
	const sorted = values.filter((value) => value !== undefined).sort((one, other) => one - other);
	const [least, most] = [sorted[0], sorted.at(-1)];
	const median = sorted[Math.floor(sorted.length / 2)];
	if (least === undefined || median === undefined || most === undefined) return undefined;
	return sorted.length < values.length ? undefined : { least, median, most };
}

/** Processors that others may keep busy while something is measured. */
const BUSY = 0.2;

/** What a person reads of a row: each variant's least and median of each measure, and then the figures. */
export function tableOf({ id, title, shows, figures }: Row, samples: Samples): string {
	const rounds = Object.values(samples)[0]?.length ?? 0;
	const measures: Measure[] = [...shows, 'others busy'];
	const all = Object.values(samples).flat();
	const busy = spreadOf(valuesOf(all, 'others busy'))?.median ?? 0;
	const known = measures.filter((measure) =>
		Object.values(samples).some((each) => spreadOf(valuesOf(each, measure))),
	);
	const cells = (each: Sample[], measure: Measure) => {
		const spread = spreadOf(valuesOf(each, measure));
		return rounds > 1 ? [shown(spread?.least), shown(spread?.median)] : [shown(spread?.median)];
	};
	const head = known.flatMap((measure) => (rounds > 1 ? [measure, 'median'] : [measure]));
	return [
		`${id}: ${title} (${rounds === 1 ? 'one round' : `${rounds} rounds`})`,
		aligned([
			['', ...head],
			...Object.entries(samples).map(([name, each]) => [
				name,
				...known.flatMap((measure) => cells(each, measure)),
			]),
		]),
		...figures.map((figure) => lineOf(judge(figure, samples))),
		...(busy > BUSY
			? [
					`  Something else kept ${shown(busy)} processors busy: measure it again on a quiet machine.`,
				]
			: []),
	].join('\n');
}

/** A figure with its range and its goal. */
export function lineOf({ text, value, spread, ofLeast, atMost, met }: Judged): string {
	const isSpread = spread && spread.least !== spread.most;
	const range = isSpread
		? ` (${shown(spread.least)} to ${shown(spread.most)}; from the least ${shown(ofLeast)})`
		: '';
	const goal = atMost === undefined ? '' : `, at most ${atMost}`;
	const verdict = met === undefined ? '' : met ? ': met' : ': MISSED';
	return `  ${text}: ${shown(value)}${range}${goal}${verdict}`;
}

const shown = (value: number | undefined) =>
	value === undefined
		? '-'
		: String(Number(value.toFixed(Math.abs(value) < 10 ? 2 : value < 100 ? 1 : 0)));
