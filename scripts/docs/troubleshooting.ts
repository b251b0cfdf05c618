import { DIALECTS } from '../../src/agent/dialects';
import { withFullStop } from './markdown';
import { HINT, NOTES, SEE_RUNBOOK, UNKNOWN } from './notes';
import { instructs, isClear, type Sentence } from './sentences';

/** What a user was doing, and where the sentences of it are made. The first that fits counts. */
interface Group {
	title: string;
	files: RegExp;
	/** Words of sentences that belong here although their file does not. */
	words?: RegExp;
}

export const GROUPS: Group[] = [
	{
		title: 'Saving a credential',
		files:
			/credentialTest|n8n\/(connect\.ts|credential|headers)|core\/(urls|ownPrices)|MarketAssistant\/resources/,
	},
	{
		title: 'Version of n8n',
		files: /n8nVersions|languageModel/,
	},
	{
		title: 'Reaching the service',
		files: /core\/(rateLimit|errorResponses|answerReader)|n8n\/http|n8n\/errors\.ts/,
	},
	{
		title: 'AI agents and their tools',
		files: /errorMessages|n8n\/(caller|runNode)/,
		words: /the model of an AI agent could/,
	},
	{
		title: 'Requests that may have been carried out',
		files: /core\/(errors|startPaid)|sentRequests/,
	},
	{
		title: 'Costs and caps',
		files:
			/src\/spending|core\/(reserve|caps)|ModelRouter\/(access|accounts|acrossResources|budget|spending)|router\/advice|estimateCost|paid\/catalog/,
	},
	{
		title: 'Job ledger',
		files:
			/src\/(ledger|tables)|core\/keyText|ModelRouter\/ledger|n8n\/connection|media\/startPaidJob/,
	},
	{
		title: 'Model Router Trigger',
		files: /ModelRouter\/trigger/,
	},
	{
		title: 'Model Router Chat Model',
		files: /chatModel/,
		words: /^The model called the tool/,
	},
	{
		title: 'Agent Conversation',
		files: /AgentConversation|src\/conversation|attachedTools/,
	},
	{
		title: 'Sessions and chats',
		files:
			/WorkspaceAgent|MarketAssistant|rememberedChats|src\/agent|src\/assistant|chatInput|n8n\/uuid/,
	},
	{
		title: 'Media jobs and files',
		files: /media|(router|paid)\/\w*[jJ]ob|binaryData/,
	},
	{
		title: 'Text models',
		files: /ModelRouter\/text|src\/(router|paid)|modelLists|[sS]chema/,
	},
	{
		title: 'Fields and expressions',
		files: /parameter|operationContext|output\.params/,
	},
];

/** @returns undefined for a sentence that has no place in the page yet. */
export const groupOf = ({ file, message }: Sentence): Group | undefined =>
	GROUPS.find(({ words }) => words?.test(message)) ?? GROUPS.find(({ files }) => files.test(file));

/** What to do, as Markdown, where the sentence does not say it. */
export const noteFor = ({ message, advice }: Sentence): string =>
	instructs(advice) || isClear(message) || (!advice && instructs(message))
		? ''
		: (NOTES[message] ?? '');

/** What to do: as the sentence says, and as we say here where the sentence does not. */
export const whatToDo = (sentence: Sentence): string =>
	[escaped(sentence.advice), noteFor(sentence)].filter(Boolean).join(' ');

/** One line per sentence that does not say what to do: n8n shows the others with it. What a shorter title finds as well is not listed. */
export function renderEntries(sentences: readonly Sentence[]): string[] {
	const byTitle = new Map<string, Set<string>>();
	for (const sentence of sentences) {
		const advice = noteFor(sentence);
		if (['', HINT, SEE_RUNBOOK, UNKNOWN].includes(advice)) continue;
		const title = escaped(withFullStop(sentence.message));
		const advices = byTitle.get(title) ?? new Set();
		advices.add(withFullStop(advice));
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
		.map(({ title, advices }) => `- **${title}** ${advices.join(' ')}`);
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
		`n8n shows the message of an error as its title, and what to do below it. ${UNKNOWN} With **On Error: Continue (using error output)**, both are in \`error\`. This page has only the messages where n8n shows less. A hint beside an output is no error: you have the answer. If it says that a cost is not counted, ask the service what it has really cost. "…" stands for a value. For a balance, a limit or a budget, see the [runbook](runbook.md).`,
		...groups.flatMap(({ title, entries }) => [`## ${title}`, entries.join('\n')]),
		...renderForms(),
	].join('\n\n')}\n`;
}

const FORMS_TITLE = 'Forms of answers of an agent';

/** The rows of `src/agent/dialects.ts`. */
function renderForms(): string[] {
	const named = (isRead: boolean) =>
		DIALECTS.filter(({ source }) => source.startsWith('https:') === isRead)
			.map(({ name }) => `**${name}**`)
			.join(', ');
	return [
		`## ${FORMS_TITLE}`,
		'The Remote Agent node recognizes these forms, and names them in `dialect` of its output. Where a form has an end, a stream without one is an incomplete answer. `src/agent/dialects.ts` has the source and the end of each.',
		`- Recorded from the running package: ${named(false)}\n- As their pages document them: ${named(true)}`,
		'Any other answer is read by [one plain rule](items-and-errors.md#answers-of-an-agent-or-of-the-assistant). If that finds no text, or a wrong one, enter the path to the text in **Answer Field Path**.',
	];
}
