import type { IExecuteFunctions } from 'n8n-workflow';

import { type Approval, toApprovalMessage } from '../../src/conversation/approval';
import type { Conversation, PendingTurn } from '../../src/conversation/conversation';
import type { Ending } from '../../src/conversation/ending';
import type { AttachedTool } from '../../src/n8n/attachedTools';
import { findAsker, isChat, isWorkspaceAgent, rowOf } from './speakers';

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
	{ turns }: Conversation,
	approval: Approval,
): Next | Ending {
	const { speaker, decision, words = '', isAsked, isRecorded } = approval;
	if (isRecorded && !isAsked && tellsApprovals(speakers[speaker], turns))
		return { speaker, message: 'What do you wait for?', isCheck: true };
	if (decision) return { speaker, message: words, decision };
	const person = isAsked ? undefined : findPerson(n8n, speakers);
	if (person) return { speaker: person, message: toApprovalMessage(approval), isForApproval: true };
	return { kind: 'waiting', reason: `${speaker} waits for the decision of a person` };
}

/** The speaker who is a person, and decides what an agent waits for: nobody in a chat, where any visitor may write. */
function findPerson(n8n: IExecuteFunctions, speakers: Speakers): string | undefined {
	const isPerson = (tool: AttachedTool) => findAsker(n8n, tool) === tool.node && !isChat(tool);
	return Object.values(speakers).find(isPerson)?.node;
}

/** Whether the server of a speaker says for which approval it waits. */
const tellsApprovals = (tool: AttachedTool | undefined, turns: Conversation['turns']) =>
	tool !== undefined &&
	isWorkspaceAgent(tool) &&
	rowOf(turns.findLast(({ speaker, server }) => speaker === tool.node && server))?.approvals !==
		undefined;
