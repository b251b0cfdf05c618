import type { Answer } from '../answer.ts';
import type { Call } from '../call.ts';
import type { World } from '../world.ts';
import type { Model } from './catalog.ts';
import { insufficientBalance, routerError } from './error.ts';
import type { Plan } from './plan.ts';
import { textCost } from './pricing.ts';

/** Section 8: the output allowance of a hold when no cap is given. */
const DEFAULT_ALLOWANCE = 4096;
/** Largest plain answer in tokens; section 6C gives no number. */
const PLAIN_LIMIT = 8000;

/** One text request that holds its largest possible cost. */
export interface Run {
	/** How many words there are so far, of all choices. */
	words: number;
	/** Replaces the hold by the cost of the words so far; only the first call counts. */
	settle(): void;
	promptTokens: number;
	/** Output tokens so far, hidden ones included. */
	outputTokens(): number;
}

/** Places the hold of a text request, or refuses it before any work (sections 3 and 7C). */
export function startRun(
	world: World,
	call: Call,
	key: string,
	model: Model,
	plan: Plan,
	options: { maxTokens: number | undefined; streamed: boolean },
): Run | Answer {
	const account = world.accounts.get(key);
	if (!account) throw new Error('no account');
	const { choices, promptTokens, cachedTokens } = plan;
	const longest = Math.max(...choices.map(({ words }) => words.length));
	if (!options.streamed && longest > PLAIN_LIMIT) {
		return routerError(
			400,
			'streaming_required',
			'The answer is too long to return without streaming: send the request with stream true',
		);
	}
	const allowance = (options.maxTokens ?? DEFAULT_ALLOWANCE) * choices.length;
	const required = textCost(model.entry, { input: promptTokens, output: allowance });
	if (!account.fits(required)) return insufficientBalance(required, account);

	const close = account.hold(required);
	const unseen = choices.reduce(
		(sum, { toolTokens }) => sum + toolTokens + plan.reasoningTokens,
		0,
	);
	const run: Run = {
		words: 0,
		promptTokens,
		outputTokens: () => run.words + unseen,
		settle: () =>
			close(
				textCost(model.entry, {
					input: promptTokens,
					cached: cachedTokens,
					output: run.outputTokens(),
				}),
			),
	};
	// an answer that a fault or the client ended is billed for what was consumed
	call.onEnd(() => run.settle());
	return run;
}

export const isRun = (value: Run | Answer): value is Run => 'settle' in value;
