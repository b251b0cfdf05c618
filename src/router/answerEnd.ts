import { isErrorValue } from '../core/errorResponses';
import { isEmptyValue, isMissing, isPlainObject, type JsonObject } from '../core/json';
import type { PartialChoice } from './chatMessage';
import { hasMore } from './messages';
import { COMPLETE, FINISH_WITHOUT_TEXT, readUsage } from './textAnswer';

/** Reasons for which an answer ends. Others are no end by themselves, such as the text "null". */
const ENDS: unknown[] = [...COMPLETE, ...FINISH_WITHOUT_TEXT];

/** Reasons of a backend that failed. Z.ai: anomalyco/opencode#44376; OpenRouter calls it "stop": earendil-works/pi#8511. */
const BROKEN: unknown[] = ['error', 'network_error'];

/** Whether a choice says that the backend has failed. @param fields Of the choice. */
export const hasBroken = ({
	finish_reason: reason,
	native_finish_reason: native,
	error,
}: JsonObject) =>
	BROKEN.includes(reason) || BROKEN.includes(native) || (Boolean(error) && isErrorValue(error));

/**
 * What a provider says where OpenRouter says that calls are whole which are cut off: 0xPlaygrounds/rig (tool_truncation_contract_matrix). Or
 * where a gateway passes on the word of Gemini or Claude: Portkey-AI/gateway#1200, QwenLM/qwen-code#9882.
 */
const CUT = /^(length|max_(output_)?tokens)$/i;

/** Why a choice has ended. @param fields Of the choice. */
export function finishOf({ finish_reason: reason, native_finish_reason: native }: JsonObject) {
	for (const word of [native, reason])
		if (typeof word === 'string' && CUT.test(word)) return 'length';
	return reason;
}

/** Whether a choice says that it was cut off, or withheld. */
export const isCut = (fields: JsonObject) => FINISH_WITHOUT_TEXT.includes(finishOf(fields));

/**
 * Follows whether all of a streamed chat completion has arrived, its end mark aside, and whether its token counts are those of all of it.
 *
 * Gateways send a finish reason and counts with the first piece already, or with every piece; Baseten sends them before the text. So a choice
 * has ended where the reason comes with nothing else, after a text or calls, and counts are those of the whole answer where they come with the
 * reason or alone, and nothing follows them.
 *
 * @param number Of choices that were asked for. NaN if it is not known.
 * @see su-kaka/gcli2api#403, QuantumNous/new-api#378, https://github.com/maruel/genai (recordings of Baseten)
 */
export function createAnswerEnd(number: number) {
	const ended = new Set<PartialChoice>();
	/** The finish reason that each choice has had before. */
	const reasons = new Map<PartialChoice, unknown>();
	let hasReason = false;
	let isCounted = false;
	let goesOn = false;
	return {
		/**
		 * A choice has got a piece.
		 *
		 * @param whole The choice of the chunk, which has the piece.
		 */
		add(choice: PartialChoice, piece: JsonObject, whole: JsonObject): void {
			const reason = finishOf(choice.fields);
			// most pieces are within the answer
			if (!isCounted && (reason ?? '') === '') return;
			const before = reasons.get(choice);
			reasons.set(choice, reason);
			hasReason ||= !isMissing(reason);
			const isMore = !choice.whole && saysMore(piece);
			goesOn ||= isMore && ENDS.includes(before);
			const isNew = reason !== before && ENDS.includes(reason);
			const canEnd = isMore ? hasAll : mayEnd;
			if (isNew && !goesOn && canEnd(choice, whole)) ended.add(choice);
			if (isMore || isNew) isCounted = false;
		},
		/** All choices of a chunk have got theirs. */
		addCounts(chunk: JsonObject): void {
			const { choices } = chunk;
			// those of a piece within the answer
			if (!hasReason && Array.isArray(choices) && choices.length > 0) return;
			const usage = readUsage(chunk);
			isCounted ||=
				isPlainObject(usage) &&
				Object.values(usage).some((count) => typeof count !== 'object' && Number(count) > 0);
		},
		isCounted: () => isCounted,
		/** @param choices How many there are. */
		isWhole: (choices: number) =>
			isCounted && !goesOn && ended.size === choices && choices >= number,
	};
}

/** Whether a piece has some of the answer. OpenAI says after the token counts until when a sound is kept (gpt-audio-2025-08-28). */
function saysMore({ content, audio, ...more }: JsonObject): boolean {
	const { data, transcript } = Object(audio) as JsonObject;
	return [content, data, transcript].some((part) => !isEmptyValue(part)) || hasMore(more);
}

/** Whether a last piece has all of the answer beside it. Perplexity: https://github.com/tmc/langchaingo (recordings). */
const hasAll = ({ contentChunks }: PartialChoice, { message }: JsonObject) =>
	contentChunks.length > 1 && Object(message).content === contentChunks.join('');

/** Whether a choice has a text or calls, or a reason for having none. */
const mayEnd = ({ contentChunks, spokenChunks, calls, whole, fields }: PartialChoice) =>
	contentChunks.length > 0 ||
	spokenChunks.length > 0 ||
	calls !== undefined ||
	whole !== undefined ||
	isCut(fields);
