import type { IExecuteFunctions } from 'n8n-workflow';

import { type Approval, toApprovalMessage } from '../../src/conversation/approval';
import type { Conversation, PendingTurn } from '../../src/conversation/conversation';
import type { Ending } from '../../src/conversation/ending';
import type { AttachedTool } from '../../src/n8n/attachedTools';
import { findAsker, isKind, rowOf } from './speakers';

type Speakers = Readonly<Record<string, AttachedTool>>;

/** Whose turn is next, and what is said. */
export type Next = Pick<
	PendingTurn,
	'speaker' | 'message' | 'note' | 'decision' | 'isCheck' | 'isForApproval'
>;

/** Who has the turn while an agent waits for approval: a person, then the agent with the decision. Nobody else decides. */
export function nextForApproval(
	n8n: IExecuteFunctions,
	speakers: Speakers,
	conversation: Conversation,
	approval: Approval,
): Next | Ending {
	const { speaker, decision, words = '', isAsked, isRecorded, isChecked } = approval;
	// people change transcripts, and tables have not all columns
	if (isRecorded && !isChecked && !isAsked && isKind(speakers[speaker], 'workspaceAgentTool'))
		return { speaker, message: 'What do you wait for?', isCheck: true };
	if (decision && !isAsked) return { speaker, message: words, decision };
	const person = isAsked ? undefined : findPerson(n8n, speakers);
	const message = toApprovalMessage(approval, takesApproval(conversation, speaker));
	if (person) return { speaker: person, message, isForApproval: true };
	return { kind: 'waiting', reason: `${speaker} waits for the decision of a person` };
}

/** The speaker who is a person, and decides what an agent waits for: nobody in a chat, where any visitor may write. */
function findPerson(n8n: IExecuteFunctions, speakers: Speakers): string | undefined {
	const isPerson = (tool: AttachedTool) =>
		findAsker(n8n, tool) === tool.node && !isKind(tool, 'chatTool');
	return Object.values(speakers).find(isPerson)?.node;
}

/** Whether a speaker takes an approval: some servers have no way for it. An agent of a workspace takes any words. */
export function takesApproval({ turns, ids }: Conversation, speaker: string): boolean {
	const server = serverOf(speaker, turns);
	return !server || server.approvals !== undefined || ids[speaker]?.taskId !== undefined;
}

/** The server of a speaker, if one of its turns says it. */
const serverOf = (name: string, turns: Conversation['turns']) =>
	rowOf(turns.findLast(({ speaker, server }) => speaker === name && server));
