import type { ISourceData } from 'n8n-workflow';

import type { Conversation } from '../../src/conversation/conversation';
import type { AttachedTool } from '../../src/n8n/attachedTools';

/** How an item's conversation is shown and returned. */
export interface Settings {
	showLive: boolean;
	/** Milliseconds before each turn except the first. */
	pause: number;
	outputMode: 'conversation' | 'turns';
	moderatorInstructions: string;
}

/** The conversation of one item, or why the item could not begin one. */
export type ItemState =
	| { conversation: Conversation; settings: Settings }
	| { refusal: { message: string; description?: string } };

export const UNSTORED = Symbol('unstored');

/** What n8n carries from call to call of the node, and stores while the execution waits: plain data. */
export interface State {
	items: ItemState[];
	/** By the name of the speaker: the tool that speaks. */
	speakers: Record<string, AttachedTool>;
	/** Set as long as n8n has not stored the state: a symbol gets lost then, as it does while the execution waits for a person. */
	[UNSTORED]?: true;
	/** Where the items come from. When n8n calls the node again, it says output 0 (n8n-core 2.41.1, requests-response.js:144). */
	source?: ISourceData;
}

/**
 * Identifies what is asked for a turn. With every try of Retry On Fail, n8n gives the same answers once more.
 *
 * It begins with the index of the item: our own speakers read that from it (`readSpeakerTurn`, src/n8n/caller.ts).
 */
export const actionId = (itemIndex: number, { turn, attempt }: { turn: number; attempt: number }) =>
	`${itemIndex}.${turn}.${attempt}`;

export const reviewId = (itemIndex: number, pending: { turn: number; attempt: number }) =>
	`${actionId(itemIndex, pending)}.review`;
