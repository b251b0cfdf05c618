import { isPlainObject, omitMissing } from '../core/json';
import { firstText } from './person';

/** What a speaker keeps of what it waits for. */
export interface WaitingIds {
	/** The task of its server that waits. */
	taskId?: string | undefined;
	/** Whether it waits for what is said next, or for a person's decision. */
	waiting?: 'input' | 'approval' | undefined;
}

/** What still waits for the next message, or for a person. */
export function readWaiting(place: unknown): WaitingIds {
	if (!isPlainObject(place)) return {};
	const { taskId, waitsFor } = place;
	const kind = isPlainObject(waitsFor) ? waitsFor['kind'] : undefined;
	const waiting = kind === 'input' || kind === 'approval' ? kind : undefined;
	return omitMissing({ taskId: firstText(taskId), waiting });
}

/** For which decision of a person an agent waits. */
export interface Asked {
	/** In words. */
	approval?: string;
	/** Set if it can only be declined. */
	onlyDecline?: true;
}

export function readApproval(place: unknown): Asked {
	const waitsFor = isPlainObject(place) ? place['waitsFor'] : undefined;
	if (!isPlainObject(waitsFor) || waitsFor['kind'] !== 'approval') return {};
	const isTooMuch = waitsFor['onlyDecline'] === true;
	return {
		approval: firstText(waitsFor['text']) ?? '',
		...(isTooMuch && { onlyDecline: isTooMuch }),
	};
}

/** What waits instead of what an agent was sent, from the details of the refusal. */
export function readRefusal(details: unknown): Asked & { ids?: WaitingIds } {
	const place = isPlainObject(details) ? details['computed'] : undefined;
	const found = readApproval(place);
	return found.approval === undefined ? {} : { ids: readWaiting(place), ...found };
}
