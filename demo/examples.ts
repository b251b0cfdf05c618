import { itemsOf, type Execution, type Item } from '../test/n8n/execution.ts';
import type { WorkflowFile } from '../test/n8n/workflow.ts';

/** What the demo says of an example. */
export interface DemoExample {
	file: string;
	/** The node whose items are told; absent where the example waits for somebody. */
	node?: string;
	/** What to open in the editor once it has run; a node is named in quotation marks. */
	look?: string;
	/** The output of that node, where it is not the first. */
	output?: number;
	/** What the demo writes into the chat of an example that begins at one. */
	says?: string;
	/** What the example waits for, to begin or to go on. */
	waits?: string;
	/** The node whose files are told once it has waited by itself. */
	then?: string;
}

/** What is made first, before the workflows of the gallery: it is seen without n8n. */
export const PICTURE: DemoExample = {
	file: 'make-a-picture.json',
	node: 'Make a Picture',
	look: 'it under Binary in "Make a Picture"',
};

/** In the order in which they run and are told. */
export const DEMO_EXAMPLES: DemoExample[] = [
	{
		file: 'two-agents-agree-on-a-date.json',
		node: 'Conversation',
		says: 'Please agree with your colleague on a day for the release of Lighthouse.',
		look: 'the transcript in "Conversation": "Tester" is at an A2A server; write into the chat, and read along',
	},
	{
		file: 'a2a-agent-and-model-agree-under-one-dollar.json',
		node: 'Conversation',
		says: 'Please agree with your colleague on a day for the release of Lighthouse.',
		look: 'what the model of OpenRouter has cost in "Conversation", and who had no cost',
	},
	{
		file: 'bridge-agents-of-two-teams.json',
		node: 'Save the Turns',
		waits: 'waits for you to approve the first turn, by the link below',
		look: '"Approve Planner"; once you have approved, the next email is shown here',
	},
	{
		file: 'make-pictures-every-night-under-a-spending-cap.json',
		node: 'Start',
		waits: "waits 70 seconds for the pictures, stored in n8n's database",
		look: 'what the cap refused in "Not Started", and then "Download"',
		then: 'Download',
	},
	{
		file: 'wait-durably-for-videos.json',
		node: 'Start',
		waits: "waits 70 seconds for the video, stored in n8n's database",
		look: 'the video under Binary in "Download"; it arrives even if n8n restarts in the meantime',
		then: 'Download',
	},
	{
		file: 'ask-three-models-and-let-a-fourth-choose.json',
		node: 'Answer',
		says: 'How do we tell our customers about a delay of two days?',
		look: 'the three answers in "Conversation", and the choice in "Choose"',
	},
	{
		file: 'three-specialists-with-a-moderator.json',
		node: 'Save the Turns',
		says: 'Write a note to our customers on how ETH is doing.',
		look: 'who spoke when in "Save the Turns"; the table is under Data tables',
	},
	{
		file: 'model-reviews-what-an-agent-writes.json',
		node: 'Conversation',
		says: 'Write an announcement of the release of Lighthouse, in three sentences.',
		look: 'both drafts and their cost in "Conversation"',
	},
	{
		file: 'agent-questions-the-market-assistant.json',
		node: 'Conversation',
		says: 'Find out which wallets bought the most ETH in the last 24 hours.',
		look: 'the questions, figures and summary in "Conversation"',
	},
	{
		file: 'compare-two-agents-with-a-model-as-judge.json',
		node: 'Verdict',
		look: 'the two verdicts with their reasons in "Verdict"',
	},
	{
		file: 'compare-two-models.json',
		node: 'Side by Side',
		says: 'What is a model router?',
		look: 'both answers with their costs in "Side by Side"',
	},
	{
		file: 'ask-a-better-model-where-the-first-is-not-sure.json',
		node: 'Answer',
		says: 'What is a model router?',
		look: 'which model has answered, in "Answer"; whether the first was sure is in "First Model"',
	},
	{
		file: 'compare-two-models-with-n8n-evaluation.json',
		node: 'Save the Questions',
		look: 'the questions in "Save the Questions"; its notes say how both models answer them',
	},
	{
		file: 'chat-under-a-spending-cap.json',
		node: 'Say Why',
		says: 'How is the market for ETH today?',
		look: 'the call that was not sent, in "Model Router Chat Model"; raise its cap, and ask again',
	},
	{
		file: 'log-what-answers-cost-with-a-daily-total-in-slack.json',
		node: 'Answer',
		says: 'What is a model router?',
		look: 'the row in "Log the Cost"; the table is under Data tables',
	},
	{
		file: 'bill-customers-every-month.json',
		waits: 'waits for the first of the month, and needs a Label in the nodes that spend',
	},
	{
		file: 'alarm-in-slack-at-80-percent-of-the-budget.json',
		waits: 'waits for your Slack account, and for 80% of the budget to be spent',
	},
	{
		file: 'when-the-budget-is-reached-ask-in-slack.json',
		waits: 'waits for your Slack account and a model, and for 8 a.m. in New York',
	},
	{
		file: 'form-that-pauses-everything-that-costs.json',
		waits: 'waits until you publish it, and for somebody to fill in its form',
	},
	{
		file: 'start-a-video-without-waiting.json',
		node: 'Start a Video',
		look: 'the job ID in "Start a Video"; publish the next workflow to get the file',
	},
	{
		file: 'get-every-finished-video.json',
		waits: 'waits until you publish it, and then gets the video of the previous workflow',
	},
	{
		file: 'what-is-being-made-right-now.json',
		node: 'Write the Table',
		says: 'What is being made?',
		look: 'the table in "Write the Table": the video that was started is in it',
	},
	{
		file: 'spending-report-by-mail-every-monday.json',
		node: 'Mail the Report',
		look: 'the table in "Make a Table"; in the demo it is of this week',
	},
	{
		file: 'answer-slack-threads-with-two-agents.json',
		waits: 'waits for your Slack account, and for somebody to mention your app',
	},
	{
		file: 'approve-in-slack-what-two-agents-say.json',
		waits: 'waits for your Slack account, for its form, and for you to approve each turn',
	},
	{
		file: 'let-a-person-approve-what-a-langgraph-agent-does.json',
		waits:
			'waits for your agent of LangGraph and your Slack account, and for somebody to fill in its form',
	},
	{
		file: 'answer-telegram-messages-with-an-agent-that-remembers.json',
		waits: 'waits for your Telegram bot, and for somebody to write to it',
	},
	{
		file: 'send-a-daily-crypto-briefing-to-slack-and-email.json',
		waits: 'waits for your Slack and Gmail accounts, and for 7 a.m. in New York',
	},
	{
		file: 'alert-in-slack-when-the-crypto-mood-turns.json',
		waits: 'waits for your Slack account and a model, and for the next hour',
	},
	{
		file: 'post-new-models-and-price-changes-to-slack.json',
		waits: 'waits for your Slack account, and for 8 a.m. in New York',
	},
	{
		file: 'read-orders-from-gmail-into-a-data-table.json',
		waits: 'waits for your Gmail and Slack accounts, and for an order by email',
	},
	{
		file: 'make-a-picture-from-a-form-and-save-it-to-google-drive.json',
		waits: 'waits for your Google Drive account and a model, and for somebody to fill in its form',
	},
	{
		file: 'read-an-article-aloud-and-save-it-to-google-drive.json',
		waits: 'waits for your Google Drive account and models, and for somebody to fill in its form',
	},
	{
		file: 'recover-unknown-paid-jobs-in-slack.json',
		waits: 'waits for your Slack account, and for a workflow to fail',
	},
	{
		file: 'offer-services-to-mcp-clients.json',
		waits:
			'waits for you to choose a token and a model and publish it, and for an MCP client to connect',
	},
];

/** A report of the week that has ended, which has nothing yet, as one of this week. */
export const ofThisWeek = (workflow: WorkflowFile): WorkflowFile => {
	const text = JSON.stringify(workflow).replaceAll('.minus({ weeks: 1 })', '');
	return JSON.parse(text) as WorkflowFile;
};

/** The rows of the table in an email, with what is in their cells. */
export const reportLines = (html: string): string[] =>
	[...html.matchAll(/<tr[^>]*>(.*?)<\/tr>/gs)].map(([, row = '']) =>
		[...row.matchAll(/<t[hd][^>]*>(.*?)<\/t[hd]>/gs)].map(([, cell = '']) => cell).join(' | '),
	);

/** Two lines on an example: title and what happened, then what to look at and its address. */
export function demoLine(
	title: string,
	{ look = '', waits }: Pick<DemoExample, 'look' | 'waits'>,
	happened: string,
	address: string,
): string {
	const said = [happened, waits].filter(Boolean).join('; ');
	return `${title}: ${said}.\n  Look at ${look}. ${address}`;
}

/** What an execution came to, in a few words: from the items of the node that tells it. */
export function demoResult(items: readonly Item[]): string {
	const [first] = items;
	if (!first) return 'no items';
	const count = items.length > 1 ? `${items.length} items, the first: ` : '';
	const { json, binary } = first;
	const files = items.flatMap((item) => Object.values(item.binary ?? {}));
	if (Array.isArray(json['transcript'])) return talkResult(json);
	if (binary)
		return files.map((file) => `${file.fileName ?? 'a file'} (${file.mimeType})`).join(', ');
	if (typeof json['output'] === 'object')
		return `${count}${quoted(JSON.stringify(json['output']))}`;
	if (json['conversationId'] !== undefined) return rowsResult(items);
	if (Array.isArray(json['accepted'])) return `an email to ${json['accepted'].join(', ')}`;
	const text = json['reason'] ?? json['answer'] ?? json['output'];
	if (typeof text === 'string') return `${count}${quoted(text)}`;
	if (json['jobId'] !== undefined) {
		const jobs = items.filter((item) => item.json['jobId'] !== undefined).length;
		return jobs === 1 ? 'one job is started' : `${jobs} jobs are started`;
	}
	return `${items.length} items`;
}

function talkResult({ transcript, reason, output }: Item['json']) {
	const turns = Array.isArray(transcript) ? transcript.length : 0;
	return `${turns} answers, until ${String(reason)}: ${quoted(String(output))}`;
}

/** The rows of a conversation, one for each turn. */
function rowsResult(items: readonly Item[]) {
	const speakers = items.map(({ json }) => String(json['speaker']));
	const last = String(items.at(-1)?.json['text']);
	return `${items.length} rows, of ${speakers.join(', ')}: ${quoted(last)}`;
}

/** The lines of a talk, each with its speaker. */
export function talkLines(items: readonly Item[]): string[] {
	const transcript = items[0]?.json['transcript'];
	if (!Array.isArray(transcript)) return [];
	return transcript.map(
		({ speaker, text }: { speaker: string; text: string }) => `${speaker}: ${text}`,
	);
}

const MOST = 110;

/** A text on one line, without the point at its end and cut where it is long. */
function quoted(text: string) {
	const line = text.replaceAll(/\s+/g, ' ').trim();
	return `"${line.length > MOST ? `${line.slice(0, MOST).replace(/\s\S*$/, '')} …` : line.replace(/\.$/, '')}"`;
}

/** What the node that tells of an example gave. */
export const demoItems = (execution: Execution, { node, output }: ToldBy): Item[] =>
	node === undefined ? [] : itemsOf(execution, node, output);

type ToldBy = Pick<DemoExample, 'node' | 'output' | 'waits'>;

/**
 * What went wrong, where something did: the error of the execution or of a node, a wait that the example does not have or has not
 * come to, or nothing from the node that tells of it.
 */
export function demoError(execution: Execution, example: ToldBy): string | undefined {
	const { status, error, runData } = execution;
	const failed = Object.entries(runData).find(([, runs]) => runs.at(-1)?.error);
	const cause = error ?? failed?.[1].at(-1)?.error;
	if (status === 'waiting' && example.waits) return undefined;
	if (status !== 'success')
		return `${failed ? `"${failed[0]}" ` : ''}failed: ${cause?.message ?? status}`;
	if (example.waits) return 'ended without waiting';
	return demoItems(execution, example).length ? undefined : `"${example.node}" gave no items`;
}
