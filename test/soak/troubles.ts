import type { Fault } from '../service/service';

/** Something that goes wrong with a part of the requests. */
export interface Trouble {
	name: string;
	/** Of 1. */
	share: number;
	faults: Fault[];
}

/** One that strikes a start. */
export interface StartTrouble extends Trouble {
	/** Whether whoever sent the request has to reckon with the service having received it. */
	open: boolean;
}

const instead = (status: number, headers?: Record<string, string>): Fault => ({
	type: 'status',
	status,
	...(headers && { headers }),
});

const tooLittle: Fault = {
	type: 'status',
	status: 402,
	body: {
		error: {
			code: 'insufficient_balance',
			message: 'The balance does not cover this request',
			meta: { required_micro_usd: 40_000, balance_micro_usd: 50_000, held_micro_usd: 20_000 },
		},
	},
};

const start = (name: string, share: number, open: boolean, ...faults: Fault[]): StartTrouble => ({
	name: `start: ${name}`,
	share,
	open,
	faults,
});

/** A good third of all starts. */
export const startTroubles: readonly StartTrouble[] = [
	start('429', 0.04, false, { type: 'too_many_requests', retryAfter: 0 }),
	start('429, come back in 1 s', 0.02, false, { type: 'too_many_requests', retryAfter: 1 }),
	start('402', 0.03, false, tooLittle),
	start('reset before it is booked', 0.04, true, { type: 'reset_peer', effect: false }),
	start('reset after it is booked', 0.04, true, { type: 'reset_peer', effect: true }),
	start('no answer, booked', 0.02, true, { type: 'down', effect: true }),
	start('hangs, booked', 0.01, true, { type: 'timeout', effect: true }),
	start('500, not booked', 0.02, true, instead(500)),
	start('500, booked', 0.03, true, { ...instead(500), effect: true } as Fault),
	start('503 with Retry-After', 0.03, true, instead(503, { 'retry-after': '1' })),
	start('cut JSON, booked', 0.03, true, { type: 'cut_json', effect: true }),
	start('cut body, booked', 0.02, true, { type: 'limit_data', bytes: 20, effect: true }),
	start('a web page with 200, booked', 0.02, true, { type: 'login_page', effect: true }),
	start('a web page with 200, not booked', 0.01, true, { type: 'login_page', effect: false }),
	start('no id, booked', 0.01, true, { type: 'body', body: '{"ok":true}', effect: true }),
];

const status = (name: string, share: number, ...faults: Fault[]): Trouble => ({
	name: `status: ${name}`,
	share,
	faults,
});

export const notKnownYet = status('404 right after the start', 0.15, instead(404));

export const statusTroubles: readonly Trouble[] = [
	status('500', 0.06, instead(500)),
	status('429', 0.01, { type: 'too_many_requests', retryAfter: 0 }),
	status('reset', 0.05, { type: 'reset_peer' }),
	status('cut JSON', 0.03, { type: 'cut_json' }),
	status('a web page with 200', 0.02, { type: 'login_page' }),
	status('a word that nobody knows', 0.08, {
		type: 'replace',
		find: '"processing"',
		with: '"warming_up"',
	}),
	status('no word at all', 0.02, { type: 'replace', find: '"status"', with: '"mood"' }),
];

const file = (name: string, share: number, ...faults: Fault[]): Trouble => ({
	name: `file: ${name}`,
	share,
	faults,
});

/** Where the file is redirected to is filled in for each. */
export const redirected = file('redirect to another origin', 0.08);

export const fileTroubles: readonly Trouble[] = [
	redirected,
	file('cut', 0.06, { type: 'limit_data', bytes: 50 }),
	file('reset', 0.04, { type: 'reset_peer', bytes: 60 }),
	file('silent', 0.02, { type: 'timeout', bytes: 40 }),
	file('409 although completed', 0.06, instead(409)),
	file('500', 0.05, instead(500)),
	file('JSON in place of it', 0.02, {
		type: 'body',
		body: '{"error":{"code":"storage","message":"try again"}}',
		contentType: 'application/json',
	}),
	file('empty', 0.01, { type: 'body', body: '' }),
];
