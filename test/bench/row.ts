import type { Host } from './hosts.ts';

/** What can be measured. Times are of one run. */
export type Measure =
	| 'wall ms'
	/** of the process that does the work */
	| 'CPU ms'
	/** at most above what that process held before */
	| 'RSS + MB'
	/** the same of the heap, with what is not collected yet; and what an item keeps there until the node ends */
	| 'heap + MB'
	| 'kept kB'
	/** what runs of our code: calls of functions, functions that are called, and the files that have them */
	| 'calls'
	| 'functions'
	| 'files'
	/** processors that everybody else has kept busy meanwhile */
	| 'others busy'
	/** of a live answer: from the question to the first piece, and from the writing of a piece to its arrival */
	| 'first ms'
	| 'lag ms'
	| 'lag 95 % ms'
	/** of a conversation: a turn, the same without the speakers, and the stored data of all turns */
	| 'turn ms'
	| 'engine ms'
	| 'stored kB'
	/** of a poll: jobs asked for, asked for before others had their turn, requests to n8n for a thousand jobs */
	| 'asked'
	| 'too early'
	| 'to n8n'
	/** of texts with a budget: the same for 100 of them, and how long the budget and its record made them wait */
	| 'to n8n, 100 texts'
	| 'added ms'
	| 'added 95 % ms'
	/** of queue mode */
	| 'per second'
	/** of requests: one after the other, and 20 at once; and what n8n's processes use for one */
	| 'alone least ms'
	| 'of 20 ms'
	| 'alone CPU ms'
	| 'worker CPU ms'
	| 'unanswered'
	| 'seconds'
	| 'undelivered'
	| 'fetched twice';

/** One measurement of one variant. Absent is what the machine or the variant cannot tell. */
export type Sample = Partial<Record<Measure, number | undefined>>;

/** Measurements of each variant; those of one index were made one right after the other. */
export type Samples = Record<string, Sample[]>;

/** A number that a row comes to, from the samples of each round. */
export interface Figure {
	measure: Measure;
	/** the variant, by default the first one */
	of?: string;
	/** the variant that is subtracted in each round */
	minus?: string;
	/** the variant that it is divided by in each round */
	over?: string;
	/** of all rounds, by default the median */
	by?: 'median' | 'most';
	/** the goal; without one the figure is only told */
	atMost?: number | undefined;
}

/** What n8n itself takes, and what a user would pick instead of ours. */
export const FLOOR = 'n8n floor';
export const HTTP = 'HTTP Request';
export const OPENAI = 'OpenAI v2';
export const OPENAI_MODEL = 'OpenAI Chat Model';
export const AGENT = 'AI Agent';

/** The goal "at most so many times what another variant takes". */
export const times = (over: string, atMost: number, ...measures: Measure[]): Figure[] =>
	measures.map((measure) => ({ measure, over, atMost }));

/** One thing that is measured. */
export interface Row {
	/** what `--only` selects it by, together with the title */
	id: string;
	title: string;
	/** columns of its table */
	shows: Measure[];
	figures: Figure[];
	/** Whether it is only measured where `--only` names it: it takes long, and what it says of n8n rarely changes. */
	isExtra?: boolean;
	/** Whether it starts an n8n in queue mode itself. */
	needsRedis?: boolean;
	/** the n8n that it runs in: the one of the rows before, the same just started, one in queue mode, or none of the bench's */
	where: 'n8n' | 'fresh n8n' | 'queue' | 'alone';
	run(host: Host): Promise<Samples>;
}
