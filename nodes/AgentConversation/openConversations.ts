import { randomUUID } from 'crypto';
import type { IExecuteFunctions } from 'n8n-workflow';

import { startConversation, type Rules } from '../../src/conversation/conversation';
import { toPattern } from '../../src/conversation/ending';
import { type EarlierTurns, readTranscript } from '../../src/conversation/transcript';
import { invalidInputError } from '../../src/core/errors';
import { compileSchema } from '../../src/core/jsonSchema';
import { findAttachedTools, type AttachedTool } from '../../src/n8n/attachedTools';
import { continuesOnFail, forVisitor, toNodeError } from '../../src/n8n/errors';
import { type HandedOver, readHandedOver } from '../../src/n8n/caller';
import { findSession, readMessageText, sessionOfItem } from '../../src/n8n/chatInput.params';
import { regexEngine } from '../../src/n8n/n8nVersions';
import { createParamReader, type ParamValues } from '../../src/n8n/parameters';
import { findNode } from '../../src/n8n/platform';
import { isUuidV5, NAMESPACE_URL, readUuid, uuidV5 } from '../../src/n8n/uuid';
import { readSpendingLabel } from '../ModelRouter/acrossResources.params';
import { conversationParams } from './conversation.params';
import { findModerator } from './moderator';
import type { ItemState, State } from './request';
import { isKind, rowOf } from './speakers';

type Values = ParamValues<typeof conversationParams>;
/** The parameters behind the opening message and the ID of a conversation. */
type OpeningValues = Omit<Values, 'options' | 'instructions'>;

/**
 * Reads all items before the first turn, so that a mistake in item 7 costs nothing.
 *
 * @throws NodeOperationError if the workflow cannot hold conversations, or an item is wrong and the node does not continue on
 * failure.
 */
export async function openConversations(n8n: IExecuteFunctions): Promise<State> {
	const node = n8n.getNode();
	try {
		checkWorkflow(n8n);
		const speakers = toSpeakers(n8n, await findAttachedTools(n8n));
		const source = n8n.getExecuteData().source?.['main']?.[0];
		const read = createParamReader(n8n, conversationParams);
		const items = n8n.getInputData().map((_, item): ItemState => {
			try {
				const values = read(item);
				checkModerator(values, findModerator(n8n));
				return openConversation(values, speakers, readHandedOver(n8n, item));
			} catch (cause) {
				const error = toNodeError(node, cause, item);
				if (!continuesOnFail(n8n)) throw error;
				const { message, description } = error;
				return { refusal: { message, ...(description && { description }) } };
			}
		});
		return { items, speakers, ...(source && { source }) };
	} catch (cause) {
		throw forVisitor(n8n, toNodeError(node, cause));
	}
}

/** @throws ServiceError `invalid` if n8n would not run the speakers, or not in time. */
function checkWorkflow(n8n: IExecuteFunctions): void {
	// n8n-core 2.41.1, requests-response.js:105: what the node asks for would be ignored
	if (!n8n.getExecuteData().source?.['main']?.[0]?.previousNode)
		throw invalidInputError(
			'Nothing is connected before this node',
			'Connect a trigger, such as a Chat Trigger ("On chat message"), to its input: without it n8n cannot run the speakers.',
		);
	// requests-response.js:139: the node would be called before its speakers have run
	if (n8n.getWorkflowSettings().executionOrder !== 'v1')
		throw invalidInputError(
			'This workflow runs in the legacy execution order (v0), in which conversations are not possible',
			'In the settings of the workflow, set Execution Order to v1.',
		);
}

function toSpeakers(n8n: IExecuteFunctions, tools: readonly AttachedTool[]) {
	const speakers: Record<string, AttachedTool> = {};
	for (const tool of tools) {
		rejectErrorOutput(n8n, tool.node);
		if (tool.review) rejectErrorOutput(n8n, tool.review.node);
		// connected both directly and through a review: a person still decides
		if (!speakers[tool.node]?.review) speakers[tool.node] = tool;
	}
	const [first, ...others] = Object.keys(speakers);
	if (!others.length)
		throw invalidInputError(
			first === undefined ? 'No speaker is connected' : `Only one speaker is connected: ${first}`,
			'Connect at least two to Speakers, such as two Remote Agents.',
		);
	return speakers;
}

/** Everything that the node returns would be lost, although it may cost money (n8n-core 2.41.1, workflow-execute.js:1660). */
function rejectErrorOutput(n8n: IExecuteFunctions, name: string): void {
	if (findNode(n8n, name)?.onError !== 'continueErrorOutput') return;
	throw invalidInputError(
		`${name}: "Continue (using error output)" is not possible for a speaker`,
		'n8n would discard everything it says. In the settings of that node, set On Error to Continue.',
	);
}

/** @throws ServiceError `invalid` if the Moderator is needed but not connected, or the result would not be in the output. */
function checkModerator(
	{ turnOrder, options: { resultSchema }, outputMode }: Values,
	moderator: string | undefined,
): void {
	if (turnOrder === 'moderator' && moderator === undefined)
		throw invalidInputError(
			'Who Speaks Next is "Moderator", but no model is connected as Moderator',
			'Connect a chat model to Moderator, or choose In Turn.',
		);
	if (!resultSchema) return;
	if (moderator === undefined)
		throw invalidInputError(
			'Result Schema needs a model, but none is connected as Moderator',
			'Connect a chat model to Moderator, or remove Result Schema from the options.',
		);
	if (outputMode === 'turns')
		throw invalidInputError(
			'Result Schema needs Output: One Item per Conversation',
			'The rows of the turns have no place for a result. Change Output, or remove Result Schema from the options.',
		);
	compileSchema(resultSchema, regexEngine);
}

/** @throws ServiceError `invalid`. */
function openConversation(
	{ options, instructions, ...values }: Values,
	tools: Record<string, AttachedTool>,
	handedOver: HandedOver,
): ItemState {
	const speakers = Object.keys(tools);
	const earlier = readTranscript(
		options.transcript ?? [],
		speakers,
		(name) => isKind(tools[name], 'marketAssistantTool'),
		options.continueAfterTurn,
	);
	const id = selectConversation(values, earlier, handedOver);
	const rules: Rules = {
		opening: readOpening(values, earlier, handedOver),
		turnOrder: values.turnOrder,
		hearing: options.hearing ?? 'auto',
		instructions: toInstructions(instructions, speakers),
		turnLimit: values.turnLimit,
		...(options.timeLimit !== undefined && { timeLimit: options.timeLimit * 1000 }),
		stopPhrase: values.stopPhrase,
		stopPattern: options.stopPattern ?? '',
		removeStop: options.removeStop ?? false,
		spendingCap: values.spendingCapPerConversation,
		onFailure: options.onFailure ?? 'end',
		onDenial: options.onDenial ?? 'end',
		editors: toEditors(options.editors ?? '', speakers),
		...(options.resultSchema && { resultSchema: options.resultSchema }),
	};
	toPattern(rules.stopPattern, regexEngine);
	// two speakers of one account must not share a session
	const withSession = speakers.filter((name) => !isKind(tools[name], 'modelRouterTool'));
	const ids = Object.fromEntries(
		withSession.map((name) => [name, { sessionId: uuidV5(id, name) }]),
	);
	// an ID that is not ours is that of a chat, whatever its form
	const turns = earlier.turns.map((turn) => {
		const { sessionId = '', failed } = turn;
		const isOfChat = !failed && rowOf(turn)?.chatAt && !isUuidV5(sessionId);
		return isOfChat && sessionId ? { ...turn, chatId: sessionId } : turn;
	});
	return {
		conversation: startConversation({ id, rules, speakers, ids }, turns, Date.now()),
		settings: {
			showLive: !options.hideTurns,
			pause: (options.pause ?? 0) * 1000,
			outputMode: values.outputMode,
			moderatorInstructions: options.moderatorInstructions ?? '',
			spendingLabel: readSpendingLabel(options.spendingLabel),
		},
	};
}

function readOpening(
	{ openingMessageSource, openingMessage }: OpeningValues,
	{ turns }: EarlierTurns,
	handedOver: HandedOver,
): string {
	const isGiven =
		openingMessageSource === 'define'
			? openingMessage.trim() !== ''
			: ['chatInput', 'message'].some((field) => handedOver.readItem(field) !== undefined);
	if (!isGiven && turns.some(({ text }) => text.trim())) return '';
	return readMessageText('Opening Message', openingMessageSource, openingMessage, handedOver);
}

/** @returns the ID of the conversation: a UUID. */
function selectConversation(
	{ sessionMode, conversationId, sessionKey }: OpeningValues,
	{ conversationId: continued }: EarlierTurns,
	handedOver: HandedOver,
): string {
	if (sessionMode === 'id') return readUuid('Conversation ID', conversationId).toLowerCase();
	const found =
		sessionMode === 'fromInput' && continued !== undefined
			? sessionOfItem(continued)
			: findSession({ sessionMode, sessionKey }, handedOver);
	return found ? (found.uuid?.toLowerCase() ?? uuidV5(NAMESPACE, found.name)) : randomUUID();
}

const NAMESPACE = uuidV5(NAMESPACE_URL, 'n8n-nodes-agent-bridge/conversation');

function toInstructions({ instruction = [] }: Values['instructions'], speakers: readonly string[]) {
	const texts = new Map(speakers.map((name): [string, string[]] => [name, []]));
	for (const [index, { speaker = '', text = '' }] of instruction.entries())
		texts.get(findSpeaker(`Instructions ${index + 1}`, speaker, speakers))?.push(text);
	return Object.fromEntries([...texts].map(([name, given]) => [name, given.join('\n\n')]));
}

const toEditors = (names: string, speakers: readonly string[]): string[] =>
	names
		.split(/[,\n]/)
		.filter((name) => name.trim())
		.map((name) => findSpeaker('Who May Replace a Turn', name, speakers));

/** @throws ServiceError `invalid` if no speaker has the name. */
function findSpeaker(place: string, name: string, speakers: readonly string[]): string {
	const wanted = name.trim();
	const isAlike = (speaker: string) => speaker.toLowerCase() === wanted.toLowerCase();
	const found = speakers.find((speaker) => speaker === wanted) ?? speakers.find(isAlike);
	if (found !== undefined) return found;
	throw invalidInputError(
		`${place}: there is no speaker named "${wanted}"`,
		`It must be the name of a connected node: ${speakers.join(', ')}.`,
	);
}
