import { randomUUID } from 'crypto';

import { limitHistory, readHistory } from '../../../src/agent/history';
import type { AgentServer, Said } from '../../../src/agent/server';
import { tryParseJson } from '../../../src/core/json';
import type { OperationContext } from '../../../src/n8n/operation';
import { type Session, sessionIdOf } from './session';

export interface HistoryRequest {
	/** Another one than a workspace. */
	server?: AgentServer;
	session: Session;
	/** Its ID, also where it is new. */
	sessionId: string;
	content: string;
	/** Where its IDs count. */
	place?: string;
	/** What the item hands over; false where the message has all of it. */
	history?: readonly Said[] | false;
	/** Whether an item of a workflow carries it on. */
	isCarriedOn: boolean;
}

/** What was said before to an agent that remembers nothing, and the message. */
export type OpenHistory = ReturnType<typeof openHistory>;

/**
 * Finds what was said before: in the item, or in this execution. No table keeps it.
 *
 * @returns undefined for a server that remembers.
 */
export function openHistory({
	request,
	flowState,
	redact,
	addHint,
}: OperationContext<HistoryRequest>) {
	const { server, session, content, place, isCarriedOn } = request;
	if (!server?.history) return undefined;
	const { name, earlier } = findEarlier(request, flowState);
	if (session.id && name && !earlier.length && session.source !== 'conversation')
		addHint(
			`${server.name} remembers nothing. Give the next item "sessionId", "sessionAt" and "history" of this output, or the next execution begins anew.`,
		);
	// a decision may have no words
	const asked: Said[] = content ? [{ role: 'user', text: content, id: randomUUID() }] : [];
	const all: Said[] = [
		...earlier.map((said, index) => ({ id: idOf(`${place} ${session.id}`, said, index), ...said })),
		...asked,
	];
	const { history, omitted } = limitHistory(all);
	return {
		/** What is sent. */
		history,
		notice:
			omitted > 0 &&
			`The oldest messages were not sent (${omitted}), because a request has at most 200 messages and 1 MB.`,
		/**
		 * Keeps it with the answer, for the rest of the execution. A model may refuse a message without a text.
		 *
		 * @param isRemembered Whether nothing was sent: an earlier run of the node may have kept both.
		 * @returns it for the output. A conversation and an AI agent have it already.
		 */
		add(text: string, id?: string, isRemembered = false): readonly Said[] | undefined {
			const answer: Said[] = text ? [{ role: 'agent', text, ...(id && { id }) }] : [];
			const isKept = ({ text: one }: Said) => earlier.some((said) => said.text === redact(one));
			const said =
				isRemembered && [...asked, ...answer].every(isKept) ? earlier : [...history, ...answer];
			if (name) flowState.set(name, JSON.stringify(redact(said)));
			return isCarriedOn ? said : undefined;
		},
	};
}

/** What this execution keeps, which may be newer than what an item hands over. A conversation hands over all that counts. */
function findEarlier(
	{ session, sessionId, place, history: handedOver = [] }: HistoryRequest,
	flowState: OperationContext<never>['flowState'],
) {
	const name = handedOver && `history ${place} ${sessionId}`;
	const isTold = session.source === 'conversation' && handedOver && handedOver.length > 0;
	const kept = name && !isTold ? flowState.get(name) : undefined;
	return { name, earlier: kept ? readHistory(tryParseJson(kept)) : handedOver || [] };
}

/** The same in each request that has it: by it, a server knows a message again. */
const idOf = (session: string, { role, text }: Said, index: number) =>
	sessionIdOf(session, `${index} ${role} ${text}`);
