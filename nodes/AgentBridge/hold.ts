import { randomUUID } from 'crypto';
import type { IExecuteFunctions, INodeExecutionData, ISourceData } from 'n8n-workflow';

import { answer, open, type Opening } from '../../src/bridge/talks';
import { invalidInputError } from '../../src/core/errors';
import { toErrorItem, toNodeError } from '../../src/n8n/errors';
import { findLoopOrigin } from '../../src/n8n/loopOrigin';
import { addHint } from '../../src/n8n/n8nVersions';
import { createParamReader } from '../../src/n8n/parameters';
import { bridgeParams } from './bridge.params';
import { announce, repeat } from './liveLines';
import { toOpening } from './opening';
import { DONE, toOutputs, type Origin, type Refusal, type BridgeTalks } from './outputs';

/** Kept in the execution from run to run of the node, and with it: plain data. */
interface State {
	/** The run whose output follows from the talks. */
	run: number;
	talks: BridgeTalks;
}

/**
 * One run of the bridge: it begins conversations, or takes an answer and hands out the next turn.
 *
 * The state is changed last, and once per run: a run that n8n repeats (Retry On Fail, "Retry" of an execution) gives again
 * what it gave. Which run an input descends from tells an answer from a new item, and from an answer that came before.
 */
export async function hold(n8n: IExecuteFunctions): Promise<INodeExecutionData[][]> {
	const context = n8n.getContext('node') as { bridge?: State };
	const run = (n8n as { runIndex?: number }).runIndex ?? 0;
	const state = context.bridge;
	if (state?.run === run) return toOutputs(state.talks);

	const around = { now: Date.now(), newId: () => randomUUID() };
	const origin = findLoopOrigin(n8n);
	const isOpen = state?.talks.current !== undefined;
	const isAnswer = origin === 'unknown' ? isOpen : origin && origin.output < DONE;

	if (!isAnswer) {
		const openings = readOpenings(n8n);
		// the conversation that is under way goes on; its turn has been handed out
		if (state && isOpen) {
			context.bridge = { run: state.run, talks: open(state.talks, openings, around) };
			return NOTHING();
		}
		const talks = open({ ended: [], waiting: [] }, openings, around);
		context.bridge = { run, talks };
		await announce(n8n, talks);
		return toOutputs(talks);
	}

	const isAwaited = origin === 'unknown' || origin?.run === state?.run;
	const items = n8n.getInputData().map(({ json }) => json);
	const heard = state && isAwaited ? answer(state.talks, items, around) : undefined;
	if (!state || !heard) {
		addHint(
			n8n,
			'A second answer to the same turn came back. It was left out: connect each speaker to this node once.',
		);
		return NOTHING();
	}
	context.bridge = { run, talks: heard.talks };
	hintForeignSession(n8n, state.talks, heard.reply.sessionId);
	await repeat(n8n, state.talks, heard.reply);
	await announce(n8n, heard.talks);
	return toOutputs(heard.talks);
}

const NOTHING = (): INodeExecutionData[][] => [[], [], []];

/**
 * Reads all items before the first turn, so that a mistake in item 7 costs nothing.
 *
 * With Continue on Fail nothing is thrown: n8n would pass the input to the first speaker.
 */
function readOpenings(n8n: IExecuteFunctions): Array<Opening<Origin, Refusal>> {
	const read = createParamReader(n8n, bridgeParams);
	const source = sourceOf(n8n);
	return n8n.getInputData().map((_, item) => {
		const origin = { item, ...(source && { source }) };
		try {
			if (n8n.getNode().alwaysOutputData) throw ALWAYS_OUTPUT_DATA();
			const { live, ...opening } = toOpening(read(item));
			return { origin: { ...origin, live }, ...opening };
		} catch (cause) {
			const error = toNodeError(n8n.getNode(), cause, item);
			if (!n8n.continueOnFail()) throw error;
			return { origin, refusal: toErrorItem(error, cause) };
		}
	});
}

const ALWAYS_OUTPUT_DATA = () =>
	invalidInputError(
		'The setting Always Output Data must be off',
		'With it n8n calls the first speaker whenever it is not its turn.',
	);

/** Where items come from, for expressions that look back from inside the loop. */
function sourceOf(n8n: IExecuteFunctions): ISourceData | undefined {
	return n8n.getExecuteData().source?.['main']?.[0] ?? undefined;
}

/** A workspace agent that answers under a session of its own remembers nothing of the turns before. */
function hintForeignSession(n8n: IExecuteFunctions, { current }: BridgeTalks, used?: string) {
	const { pending, ids, rules } = current?.conversation ?? {};
	if (!used || !pending || !ids || !rules || used === ids[pending.side].sessionId) return;
	addHint(
		n8n,
		`${rules.names[pending.side]} answers under a session of its own. For one conversation, choose Session "From Input" in its node.`,
	);
}
