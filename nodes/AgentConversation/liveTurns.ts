import type { IExecuteFunctions } from 'n8n-workflow';

import type { Conversation } from '../../src/conversation/conversation';
import type { EndingKind } from '../../src/conversation/ending';
import type { Reply } from '../../src/conversation/reply';
import type { AttachedTool } from '../../src/n8n/attachedTools';
import { createLiveOutput, speakerHeading } from '../../src/n8n/liveOutput';
import { isAgentTool } from './speakers';
import type { Settings } from './state';

/** Names the speaker whose own node writes its answer into the chat without a name. */
export async function announceSpeaker(
	n8n: IExecuteFunctions,
	itemIndex: number,
	settings: Settings,
	tool: AttachedTool | undefined,
): Promise<void> {
	if (tool && isAgentTool(tool)) await write(n8n, itemIndex, settings, speakerHeading(tool.node));
}

/** Shows what was said, unless the speaker's own node has written it. */
export async function showTurn(
	n8n: IExecuteFunctions,
	itemIndex: number,
	settings: Settings,
	tool: AttachedTool | undefined,
	{ turns, pending }: Conversation,
	{ text, failure, wasShown }: Reply,
): Promise<void> {
	// a turn that is asked once more shows nothing yet
	const turn = pending ? undefined : turns.at(-1);
	if (!tool || !turn || wasShown || (isAgentTool(tool) && !failure)) return;
	if (text.trim()) await write(n8n, itemIndex, settings, `${speakerHeading(turn.speaker)}${text}`);
}

/** Says why a conversation ended, unless it has come to an end that was to be expected. */
export async function showEnding(
	n8n: IExecuteFunctions,
	itemIndex: number,
	settings: Settings,
	{ ending }: Conversation,
): Promise<void> {
	if (!ending || EXPECTED_ENDINGS.has(ending.kind)) return;
	const { reason, failure } = ending;
	await write(n8n, itemIndex, settings, failure ? `${reason}. ${failure.error}` : `${reason}.`);
}

const EXPECTED_ENDINGS = new Set<EndingKind>([
	'moderator',
	'stopPattern',
	'stopPhrase',
	'turnLimit',
]);

async function write(
	n8n: IExecuteFunctions,
	itemIndex: number,
	{ showLive }: Settings,
	text: string,
): Promise<void> {
	if (!showLive || !n8n.isStreaming()) return;
	const output = createLiveOutput(n8n, itemIndex);
	await output.write(text);
	await output.end();
}
