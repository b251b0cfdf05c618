import type { IExecuteFunctions } from 'n8n-workflow';
import { accumulateTokenUsage, isToolType } from 'n8n-workflow';

import type { Connection } from './connection';
import { executionMemory } from './executionMemory';
import { flowMemory } from './flowMemory';
import { hintBoard } from './hints';
import { known } from './known';
import { liveOutput, NOT_LIVE, type LiveOutput } from './liveOutput';
import { noteId } from './notes';
import type { Call, Check } from './operation';
import type { Place } from './pool';
import { findFile, readFile } from './readFile';
import type { startLedger } from './startLedger';
import { storeFile } from './storeFile';
import { countUnderWay, underWay } from './underWay';

/** Makes what the operations of one execution work with, item by item. */
export function itemCalls(
	n8n: IExecuteFunctions,
	{ http, httpOnce, clock, account, credentialId, baseUrl, toReadable, field }: Connection,
	open: Call<never>['open'],
	ledger: ReturnType<typeof startLedger>,
	live: boolean,
) {
	const hints = hintBoard(n8n);
	const stop = n8n.getExecutionCancelSignal();
	const asTool = isToolType(n8n.getNode().type);
	const memory = flowMemory(n8n, `${credentialId} ${baseUrl}`);

	const checkOf = (itemIndex: number, request: unknown): Check<never> => ({
		request: request as never,
		asTool,
		known: async (name, read) =>
			await known(`${account} ${name}`, async () => await read(httpOnce), stop),
		findFile: (property, path) => findFile(n8n, itemIndex, property, path),
	});

	const { kept, turnOf } = executionMemory(n8n);

	const callOf = (
		itemIndex: number,
		request: unknown,
		place: Place,
	): Call<never> & { output: LiveOutput } => {
		const output = live ? liveOutput(n8n, itemIndex, stop) : NOT_LIVE;
		return {
			...checkOf(itemIndex, request),
			output,
			http,
			clock: {
				...clock,
				sleep: async (milliseconds) => await place.away(() => clock.sleep(milliseconds)),
			},
			inTurn: turnOf(place),
			kept,
			once: async (what, send) =>
				await ledger.once(itemIndex, what, async () => await underWay(account, send)),
			decided: async (send) => await underWay(account, send),
			open,
			origin: { execution: n8n.getExecutionId(), credential: credentialId },
			field,
			note: (name, id) => noteId(n8n, name, id),
			memory,
			underWay: () => countUnderWay(account),
			live: output.write,
			hint: hints.add,
			countTokens: (input, out) => countTokens(n8n, input, out),
			readFile: async (property, path) => await readFile(n8n, itemIndex, property, path),
			storeFile: async (response, wanted) => await storeFile(n8n, toReadable, response, wanted),
		};
	};

	return { checkOf, callOf, showHints: hints.show };
}

/**
 * The answer is paid for by now: a counter that an n8n does not have must not cost it.
 *
 * @see n8n-workflow 2.41.0, metadata-utils.js
 */
function countTokens(n8n: IExecuteFunctions, input: number, output: number): void {
	try {
		accumulateTokenUsage(n8n, input, output);
	} catch (cause) {
		n8n.logger.debug('The tokens could not be counted', { cause });
	}
}
