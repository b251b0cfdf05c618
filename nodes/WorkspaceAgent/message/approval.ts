import type { INodeProperties } from 'n8n-workflow';

import type { Directed, KnownWait } from '../../../src/agent/approvals';
import type { SentAnswer } from '../../../src/agent/client';
import { type Decision, isDecision } from '../../../src/core/decision';
import {
	invalidInputError,
	mapServiceError,
	ServiceError,
	type ServiceErrorDetails,
} from '../../../src/core/errors';
import { isPlainObject, tryParseJson } from '../../../src/core/json';
import type { SessionSource } from '../../../src/n8n/chatInput.params';
import type { OperationContext, PrepareContext } from '../../../src/n8n/operation';
import { withFieldRules } from '../../../src/n8n/parameterFields';

/** In a tool there is no such field: a model decides about nothing. */
export const answerToApprovalOption = withFieldRules({
	inTool: 'fixed',
	yesAndNo: ['approve', 'decline'],
})({
	displayName: 'Answer to Approval',
	name: 'answerToApproval',
	type: 'options',
	displayOptions: { show: { '/agentOf': ['server'], '@tool': [false] } },
	options: [
		{
			name: 'Approve',
			value: 'approve',
			description: 'A person has approved all that waits. No message is sent.',
		},
		{
			name: 'Decline',
			value: 'decline',
			description: 'A person has declined what waits. No message is sent.',
		},
		{ name: 'Not an Answer', value: 'none', description: 'A message' },
		{
			name: 'With the Message',
			value: 'text',
			description:
				'A person has answered in words. Tools are then declined, with the message as the reason. Who asks only for yes or no may take any text for a yes.',
		},
	],
	default: 'none',
	description:
		'What a person decided about what the agent waits for ("waitsFor" of its output). An expression may give true or false, as "approved" of Send and Wait. A session that waits takes nothing else.',
} as const satisfies INodeProperties);

/**
 * A person's decision: from the field or, in a conversation, from the person who was asked in it.
 *
 * @throws ServiceError `invalid` for the tool of an AI agent.
 */
export function readDecision(
	chosen: 'none' | Decision | undefined = 'none',
	{ handedOver: { caller, readTurn } }: PrepareContext,
): Decision | undefined {
	if (caller === 'conversation') {
		const given = readTurn('decision');
		return isDecision(given) ? given : undefined;
	}
	if (chosen === 'none') return undefined;
	if (caller === 'workflow') return chosen;
	throw invalidInputError(
		'Answer to Approval is for people, not for the model of an AI agent',
		'Nothing was sent. Tell the user.',
	);
}

type Execution = OperationContext<unknown>;

/** What an execution remembers of a session. Without a text, it does not know whether anything waits. */
interface WaitMemory extends KnownWait {
	/** The tasks about which it has decided: each once. */
	decided?: string[];
	/** The run of the node that wrote it. */
	run?: string;
}

/** Empty where nothing is remembered. */
function readMemory(kept: string | undefined): WaitMemory {
	const found = tryParseJson(kept ?? '');
	return isPlainObject(found) ? found : {};
}

/**
 * What is known to wait in a session. What the execution remembers is certain, unless an item that names the session is about another task.
 *
 * @param given What the item hands over.
 */
export function recallWait(
	{ flowState }: Execution,
	session: string,
	given: KnownWait,
	source: SessionSource,
): KnownWait {
	// it knows what waits for its speaker, but not whether all of it was shown
	const isTold = source === 'conversation';
	const { decided, run, ...kept } = readMemory(flowState.get(nameOf(session)));
	if (!decided) return given;
	const { taskId, kind, text } = kept;
	const isOver = decided.some((task) => task === given.taskId);
	// an item is no proof where its task asks again, maybe in the same words
	const isUnseen = run === flowState.run && !isTold && (isOver || !given.text);
	const found = { ...kept, text: text ?? '', isUnseen };
	const isCertain = isOver || (isNamed(source) && (taskId ?? text) !== undefined);
	if (!isTold && isCertain) return found;
	const isSame = given.taskId ? given.taskId === taskId : !isTold || given.kind === kind;
	if (!isSame) return given;
	return isTold ? { ...found, text: undefined, ...given } : found;
}

/**
 * Remembers what waits after an answer. What waited before has been answered, unless the message was certainly not received.
 *
 * @throws ServiceError as `answering`.
 */
export async function rememberWait(
	{ flowState, redact }: Execution,
	session: string,
	answering: Promise<SentAnswer>,
	{ decides, task }: Directed,
): Promise<SentAnswer> {
	const name = nameOf(session);
	const { decided: before = [] } = readMemory(flowState.get(name));
	const all = decides ? [...before, decides] : before;
	const remember = (wait: KnownWait) =>
		flowState.set(
			name,
			JSON.stringify(redact<WaitMemory>({ ...wait, decided: all, run: flowState.run })),
		);
	try {
		const answer = await answering;
		const { kind, onlyDecline, text = '' } = answer.waitsFor ?? {};
		remember({ taskId: answer.task, kind, onlyDecline, text });
		return answer;
	} catch (cause) {
		const details: ServiceErrorDetails = cause instanceof ServiceError ? cause.details : {};
		const { outcome = 'unknown', ids = {}, computed = {} } = details;
		if (outcome !== 'not_started' || computed['isGone'])
			remember({ taskId: ids['taskId'], text: task && '' });
		throw mapServiceError(cause);
	}
}

/** Whether the fields of the node say which session it is. */
const isNamed = (source: SessionSource) => source === 'key' || source === 'id';

const nameOf = (session: string) => `waits ${session}`;
