import { createCap, type Spending } from '../../../src/core/caps';
import { cancelledError } from '../../../src/core/errors';
import type { Http } from '../../../src/core/http';
import { createStructuredReader, type StructuredReader } from '../../../src/core/structuredAnswer';
import type { createAnswerMemory } from '../../../src/n8n/memory/answerMemory';
import type { Connection } from '../../../src/n8n/connection';
import type { SentRequest, SentRequests } from '../../../src/n8n/memory/sentRequests';
import { countInFlight, type StartPaid } from '../../../src/n8n/startPaid';
import type { ChatRequest } from '../../../src/router/chatCompletions';
import type { GivenAnswer } from '../../../src/router/givenAnswers';
import { protocols } from '../../../src/router/protocols';
import { answerWarning, stringOrEmpty } from '../../../src/router/textAnswer';
import type { OnText } from '../../../src/router/textStream';
import type { CatalogContext, FoundModel } from '../catalog';
import { readSpendingLabel } from '../spending/spendingLabel.params';
import {
	askPaid,
	mismatchError,
	type PricedAnswer,
	readStructuredAnswer,
} from '../text/pricedAnswer';
import type { TextLimits } from '../text/textRequest';
import type { ChatModelValues } from './chatModel.params';

/** What the calls of one item's model need. */
export interface CallContext extends CatalogContext {
	values: ChatModelValues;
	connection: Connection;
	/** Of the execution. */
	spending: Spending;
	sentRequests: Pick<SentRequests, 'recallCall'>;
	/** Those of the model that call tools. */
	answers: ReturnType<typeof createAnswerMemory<GivenAnswer>>;
	itemIndex: number;
}

/** What a call of one model needs. */
export interface OneModel extends CallContext {
	http: Http;
	found: FoundModel;
	limits: TextLimits;
	memory: SentRequest;
	startPaid: StartPaid;
	readAnswer: StructuredReader | undefined;
	onText: OnText;
	signal: AbortSignal | undefined;
}

/**
 * Sends a call of one model once.
 *
 * @returns also what of the answer comes back in the next request.
 * @throws ServiceError with an outcome.
 */
export async function sendCall(context: OneModel, asked: ChatRequest) {
	const { http, found, limits, memory, startPaid, readAnswer, onText, signal } = context;
	const { account, accounts } = context.connection;
	const body = protocols[limits.protocol].toBody(asked);
	const giveUp = () => memory.recordFailure(cancelledError());
	let given: unknown[] = [];
	const answered = await askPaid(
		{
			http: signal ? endedBy(signal, http, giveUp) : http,
			accounts,
			startPaid,
			stream: onText,
			countInFlight: () => countInFlight(account),
		},
		{
			body,
			found,
			limits,
			checkAnswer(answer, maxTokens, asGiven) {
				given = asGiven;
				// an answer that calls tools may include other text
				if (answer.toolCalls.length) checkCalls(answer, maxTokens);
				else if (readAnswer) readStructuredAnswer(readAnswer, answer, maxTokens);
			},
		},
	);
	return { ...answered, given };
}

/**
 * LangChain completes arguments that break off, and an agent would run its tool with half of an order.
 *
 * @throws ServiceError `schemaMismatch` that names the tool.
 */
function checkCalls(answer: PricedAnswer, maxTokens: number | undefined): void {
	for (const { name, arguments: given } of answer.toolCalls) {
		const result = readJson(stringOrEmpty(given).trim() || '{}');
		if ('value' in result) continue;
		const message = `The model called the tool "${name}" with arguments that are not complete JSON`;
		const limit = answer.finishReason === 'length' && answerWarning(answer, maxTokens);
		const advice = 'They may be cut off, so no tool was called. The answer is billed.';
		throw mismatchError(message, limit ? `${advice} ${limit}` : advice, { ...result, answer });
	}
}
const readJson = createStructuredReader();

/** What limits a call. */
export function createLimits(
	{ spendingCapPerCall, spendingCapPerExecution, options }: ChatModelValues,
	spending: Spending,
) {
	const { protocol = 'chat', allowUnknownCost = false } = options;
	const label = readSpendingLabel(options.spendingLabel);
	const item = { cap: spendingCapPerCall, field: 'Spending Cap per Call (USD)', of: 'call' };
	const execution = { field: 'Spending Cap per Execution (USD)', of: 'execution', spending };
	const calls = createCap({ cap: spendingCapPerExecution, ...execution });
	const caps = { item: createCap(item), calls };
	return { protocol, allowUnknownCost, label, caps };
}

/** If a caller gives up, the rest of the answer is not paid for. @param onGivenUp Called at once: the caller may ask again. */
const endedBy = (signal: AbortSignal, http: Http, onGivenUp: () => void): Http => ({
	...http,
	async send(request) {
		signal.addEventListener('abort', onGivenUp, { once: true });
		return await http.send({ ...request, signal });
	},
});
