import type { IExecuteFunctions } from 'n8n-workflow';

import type { Reply } from '../../src/bridge/reply';
import { isLive, createLiveOutput } from '../../src/n8n/liveOutput';
import type { BridgeTalks } from './outputs';

/** Names who speaks next, where the speaker's own node writes the answer. A chat shows each run of the node as a bubble. */
export async function announce(n8n: IExecuteFunctions, { current }: BridgeTalks): Promise<void> {
	if (current?.origin.live !== 'names') return;
	const { pending, rules } = current.conversation;
	if (pending) await write(n8n, `**${rules.names[pending.side]}:**\n\n`);
}

/** Writes what was said, with the name, where the speaker's own node does not. */
export async function repeat(
	n8n: IExecuteFunctions,
	{ current }: BridgeTalks,
	{ text }: Reply,
): Promise<void> {
	if (current?.origin.live !== 'answers' || !text.trim()) return;
	const { pending, rules } = current.conversation;
	if (pending) await write(n8n, `**${rules.names[pending.side]}:**\n\n${text}\n\n`);
}

async function write(n8n: IExecuteFunctions, text: string): Promise<void> {
	if (!isLive(n8n)) return;
	const output = createLiveOutput(n8n, 0);
	await output.write(text);
	await output.end();
}
