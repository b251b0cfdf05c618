import { DIALECTS } from '../../src/agent/dialects';
import { endsOf, hasOpening } from '../../src/agent/recognize';
import { anchorOf, withFullStop } from './fields';
import { NOTES } from './notes';
import { instructs, type Sentence } from './sentences';

/** What a user was doing, and where the sentences of it are made. The first that fits counts. */
interface Group {
	title: string;
	intro: string;
	files: RegExp;
	/** Words of sentences that belong here although their file does not. */
	words?: RegExp;
}

export const GROUPS: Group[] = [
	{
		title: 'Saving a credential',
		intro: 'Messages from the credential test, and from the checks of its fields.',
		files:
			/credentialTest|n8n\/(credential|additionalHeaders|keyPlace)|core\/(urls|ownPrices)|MarketAssistant\/resources/,
	},
	{
		title: 'Version of n8n',
		intro: 'Features that need another version of n8n.',
		files: /n8nVersions|languageModel/,
	},
	{
		title: 'Reaching the service',
		intro: 'Problems with the connection, and refusals from any interface.',
		files: /core\/(rateLimit|errorResponses|silence)|n8n\/http|n8n\/errors\.ts/,
	},
	{
		title: 'AI agents and their tools',
		intro: 'What an AI agent is told if its tool fails, and what a tool does not accept.',
		files: /errorMessages|n8n\/(caller|runNode)/,
		words: /the model of an AI agent could/,
	},
	{
		title: 'Requests that may have been carried out',
		intro: 'Read [Money and safety](money-and-safety.md) before you send such a request again.',
		files: /core\/(errors|startPaid)|sentRequests/,
	},
	{
		title: 'Costs and caps',
		intro:
			'Spending caps, the budget of a credential, its record of spending, and a balance that is too small.',
		files:
			/src\/spending|core\/(bound|caps)|ModelRouter\/(access|accounts|budget|spending)|router\/advice|estimateCost|paid\/catalog/,
	},
	{
		title: 'Job ledger',
		intro: 'The Data Table that records starts and jobs.',
		files:
			/src\/(ledger|tables)|core\/keyText|ModelRouter\/ledger|n8n\/connection|media\/startPaidJob/,
	},
	{
		title: 'Model Router Trigger',
		intro: 'Polls, test runs and deliveries.',
		files: /ModelRouter\/trigger/,
	},
	{
		title: 'Model Router Chat Model',
		intro: 'The model below an AI agent or a chain.',
		files: /chatModel/,
		words: /^The model called the tool/,
	},
	{
		title: 'Agent Conversation',
		intro: 'Speakers, moderators and transcripts.',
		files: /AgentConversation|src\/conversation|attachedTools/,
	},
	{
		title: 'Sessions and chats',
		intro: 'Messages to agents and questions to Crypto Q&A.',
		files:
			/WorkspaceAgent|MarketAssistant|rememberedChats|src\/agent|src\/assistant|chatInput|n8n\/uuid/,
	},
	{
		title: 'Media jobs and files',
		intro: 'Images, videos, music and speech.',
		files: /media|(router|paid)\/\w*[jJ]ob|binaryData/,
	},
	{
		title: 'Text models',
		intro: 'Messages, response formats and tools of text models.',
		files: /ModelRouter\/text|src\/(router|paid)|[sS]chema/,
	},
	{
		title: 'Fields and expressions',
		intro: 'Nothing was sent for this item. The message names the field.',
		files: /parameter|operationContext|output\.params/,
	},
];

/** @returns undefined for a sentence that has no place in the page yet. */
export const groupOf = ({ file, message }: Sentence): Group | undefined =>
	GROUPS.find(({ words }) => words?.test(message)) ?? GROUPS.find(({ files }) => files.test(file));

/** The titles of the groups that sentences are in. */
export const groupsOf = (sentences: readonly Sentence[]): string[] =>
	GROUPS.filter((group) => sentences.some((one) => groupOf(one) === group)).map(
		({ title }) => title,
	);

/** What to do, as Markdown: as the sentence says, and as we say here where the sentence does not. */
export const whatToDo = ({ message, advice }: Sentence): string =>
	[escaped(advice), instructs(advice) || (!advice && instructs(message)) ? '' : NOTES[message]]
		.filter(Boolean)
		.join(' ');

/** One line per sentence, and one below for each thing to do. What a shorter title finds as well is not listed. */
export function renderEntries(sentences: readonly Sentence[]): string[] {
	const byTitle = new Map<string, Set<string>>();
	for (const sentence of sentences) {
		const title = escaped(withFullStop(sentence.message));
		const advices = byTitle.get(title) ?? new Set();
		const advice = whatToDo(sentence);
		if (advice) advices.add(withFullStop(advice));
		byTitle.set(title, advices);
	}
	const entries = [...byTitle]
		.map(([title, advices]) => ({ title, advices: [...advices], key: keyOf(title) }))
		.sort((one, other) => one.title.length - other.title.length);
	return entries
		.filter(
			({ key, advices }, index) =>
				!entries
					.slice(0, index)
					.some((one) => key.includes(one.key) && `${one.advices}` === `${advices}`),
		)
		.sort((one, other) => one.key.localeCompare(other.key, 'en'))
		.flatMap(({ title, advices: [first, ...others] }) => {
			if (others.length)
				return [`- **${title}**`, ...[first!, ...others].map((one) => `  - ${one}`)];
			return [first ? `- **${title}** ${first}` : `- **${title}**`];
		});
}

/** A title without values, as a person searches for it. */
const keyOf = (title: string) =>
	title
		.toLowerCase()
		.replace(/[^\p{L}\d ]+/gu, '')
		.replace(/ +/g, ' ')
		.trim();

/** What Markdown would read as its own. */
const escaped = (text: string) => text.replace(/([*<]|\b_|_\b)/g, '\\$1');

export function renderTroubleshooting(sentences: readonly Sentence[], written: string): string {
	const groups = GROUPS.map((group) => ({
		...group,
		entries: renderEntries(sentences.filter((one) => groupOf(one) === group)),
	})).filter(({ entries }) => entries.length);
	return `${[
		'# Troubleshooting',
		written,
		'Search this page for a part of the message that you see. "…" stands for a value, such as the name of a field. After each message, the page says what to do. Very short messages, such as "Prompt is empty", are not listed.',
		'n8n shows the message as the title of the error, and what to do below it. With **On Error: Continue (using error output)**, both are in `error`.',
		[...groups.map(({ title }) => title), FORMS_TITLE]
			.map((title) => `- [${title}](#${anchorOf(title)})`)
			.join('\n'),
		...groups.flatMap(({ title, intro, entries }) => [`## ${title}`, intro, entries.join('\n')]),
		...renderForms(),
	].join('\n\n')}\n`;
}

const FORMS_TITLE = 'Forms of answers of an agent';

/** The rows of `src/agent/dialects.ts`. */
function renderForms(): string[] {
	const rows = DIALECTS.map((dialect) => [
		dialect.name,
		hasOpening(dialect) ? endsOf(dialect).replaceAll('"', '`') : '',
		dialect.source.startsWith('https:') ? 'documented' : 'recorded',
		dialect.source,
	]);
	return [
		`## ${FORMS_TITLE}`,
		'The Remote Agent node recognizes these forms. The name is in its output, in `dialect`. Where a form has an end, a stream without one is an incomplete answer. Forms are recorded from the running package, or as its page documents them.',
		'Any other answer is read by [one plain rule](items-and-errors.md#answers-of-an-agent-or-of-the-assistant). If that finds no text, or a wrong one, enter the path to the text in **Answer Field Path**.',
		renderTable(['`dialect`', 'End of a stream', 'Known from', 'Source'], rows),
	];
}

/** A Markdown table as Prettier writes it. */
function renderTable(head: string[], rows: string[][]): string {
	const widths = head.map((_, column) =>
		Math.max(...[head, ...rows].map((row) => row[column]!.length)),
	);
	const line = (cells: string[]) =>
		`| ${cells.map((cell, column) => cell.padEnd(widths[column]!)).join(' | ')} |`;
	return [line(head), line(widths.map((width) => '-'.repeat(width))), ...rows.map(line)].join('\n');
}
