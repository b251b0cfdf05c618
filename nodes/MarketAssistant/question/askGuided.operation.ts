import { operation } from '../../../src/n8n/operation';
import { askQuestion, chatSequenceKey, toQuestionRequest } from './askQuestion';
import { chatParams } from './chat';
import { guidedOptions, optionsParam, streamAnswerParam } from './question.params';
import { capabilityParam, subjectParams, topicParams } from './guided.params';

/** What a question begins with. What it is about follows. */
const OPENINGS = {
	marketData: 'What does real-time market data show about',
	onChain: 'What does on-chain data show about',
	perps: 'What do perpetual-futures trades on decentralized exchanges show about',
	sentiment: 'What is the sentiment around',
	tokenAnalysis: 'What does a token analysis show about',
	webSearch: 'What can you find on the web about',
};

export const askGuided = operation({
	name: 'Ask Guided Question',
	value: 'askGuided',
	action: 'Ask guided question about crypto markets',
	description: 'Choose what you want to know, and the node writes the question',
	params: [
		capabilityParam,
		...topicParams,
		...subjectParams,
		...chatParams,
		streamAnswerParam,
		optionsParam(guidedOptions),
	],

	prepare({ capability, token, chain, wallet, period, ...params }, context) {
		const subject = [token.trim(), phrase('the wallet', wallet)].filter(Boolean).join(' and ');
		const question = [
			OPENINGS[capability],
			subject || 'the crypto market',
			phrase('on', chain),
			phrase('for', period),
		];
		const sentences = [
			`${question.filter(Boolean).join(' ')}?`.replace(/\s+/g, ' '),
			coverTopics(capability, params[capability]),
		];
		const { instructions = '' } = params.options;
		const message = `${sentences.join(' ').trim()}\n\n${instructions}`.trim();
		return { ...toQuestionRequest(message, params, context), isWrittenByNode: true };
	},

	sequenceKey: chatSequenceKey,
	run: askQuestion,
});

const phrase = (before: string, text: string) => (text.trim() ? `${before} ${text.trim()}` : '');

/** Lists the topics by their names in the editor, in lower case but for names such as DeFi. */
function coverTopics(capability: string, topics: readonly string[]): string {
	const choices: Array<{ name: string; value: string }> =
		topicParams.find(({ name }) => name === capability)?.options ?? [];
	const names = choices
		.filter(({ value }) => topics.includes(value))
		.map(({ name }) => name.replace(/\b[A-Z](?=[a-z]*\b)/g, (letter) => letter.toLowerCase()));
	return names.length ? `Please cover ${new Intl.ListFormat('en-US').format(names)}.` : '';
}
