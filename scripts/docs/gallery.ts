import { existsSync } from 'node:fs';

import { readExample } from '../../test/n8n/example';
import type { WorkflowFile } from '../../test/n8n/workflow';
import { pictureFile } from '../../test/support/pictureFile';
import { WRITTEN } from './nodePages';

/** The workflows of gallery/ as docs/gallery.md shows them, the ones that most people want first; the first three need no other service. A new one goes into one of these groups. */
export const GROUPS: Readonly<Record<string, readonly string[]>> = {
	Popular: [
		'compare-two-models.json',
		'two-agents-agree-on-a-date.json',
		'chat-under-a-spending-cap.json',
		'answer-slack-threads-with-two-agents.json',
		'approve-in-slack-what-two-agents-say.json',
		'offer-services-to-mcp-clients.json',
		'make-a-picture-from-a-form-and-save-it-to-google-drive.json',
		'read-orders-from-gmail-into-a-data-table.json',
		'send-a-daily-crypto-briefing-to-slack-and-email.json',
		'log-what-answers-cost-with-a-daily-total-in-slack.json',
	],
	'Agents that talk to each other, and to people': [
		'bridge-agents-of-two-teams.json',
		'three-specialists-with-a-moderator.json',
		'agent-questions-the-market-assistant.json',
		'model-reviews-what-an-agent-writes.json',
		'compare-two-agents-with-a-model-as-judge.json',
		'answer-telegram-messages-with-an-agent-that-remembers.json',
		'ask-three-models-and-let-a-fourth-choose.json',
		'a2a-agent-and-model-agree-under-one-dollar.json',
		'let-a-person-approve-what-a-langgraph-agent-does.json',
	],
	'Pictures, videos and speech': [
		'make-pictures-every-night-under-a-spending-cap.json',
		'start-a-video-without-waiting.json',
		'get-every-finished-video.json',
		'wait-durably-for-videos.json',
		'read-an-article-aloud-and-save-it-to-google-drive.json',
		'what-is-being-made-right-now.json',
		'recover-unknown-paid-jobs-in-slack.json',
	],
	'Models, costs and markets': [
		'ask-a-better-model-where-the-first-is-not-sure.json',
		'compare-two-models-with-n8n-evaluation.json',
		'spending-report-by-mail-every-monday.json',
		'bill-customers-every-month.json',
		'alarm-in-slack-at-80-percent-of-the-budget.json',
		'when-the-budget-is-reached-ask-in-slack.json',
		'form-that-pauses-everything-that-costs.json',
		'post-new-models-and-price-changes-to-slack.json',
		'alert-in-slack-when-the-crypto-mood-turns.json',
	],
};

/** The workflows of lessons/, in the order in which somebody learns from them. */
export const LESSONS: readonly string[] = [
	'message-an-agent.json',
	'chat-live-with-an-agent.json',
	'talk-to-an-agent-elsewhere-by-a2a.json',
	'ask-a-langgraph-agent.json',
	'answer-many-threads.json',
	'ai-agent-and-workspace-agent-settle-a-question.json',
	'ask-the-market-assistant.json',
	'chat-with-the-market-assistant.json',
	'questions-under-the-rate-limit.json',
	'research-for-a-message.json',
	'chat-with-a-model.json',
	'chat-live-with-a-model.json',
	'chat-with-an-ai-agent-that-remembers.json',
	'read-an-order.json',
	'let-a-model-use-a-tool.json',
	'make-a-picture.json',
	'look-at-a-picture.json',
	'picture-from-a-form.json',
	'get-finished-videos.json',
	'wait-for-media-jobs.json',
];

/** What a workflow needs, by the type of a node: ours by their interface, apps by their name. */
const NEEDS: ReadonlyArray<[type: RegExp, needed: string]> = [
	[/agent-bridge\.workspaceAgent/, 'Remote Agent'],
	[/agent-bridge\.marketAssistant/, 'Crypto Q&A'],
	[/agent-bridge\.(modelRouter|lmChatModelRouter)/, 'Model Router'],
	[/\.slack/, 'Slack'],
	[/\.telegram/, 'Telegram'],
	[/\.gmail/, 'Gmail'],
	[/\.googleDrive/, 'Google Drive'],
	[/\.emailSend/, 'an SMTP account'],
	[/\.mcpTrigger/, 'an MCP client'],
	[/\.dataTable$/, 'n8n Data Tables'],
];

export function renderGallery(): string {
	const parts = [
		'# Gallery',
		WRITTEN,
		'To use one of these workflows, open its file and copy the text. Paste it onto the canvas of a new workflow, or choose **Import > From file** in its menu. Then follow its note **Set up**: choose credentials and models. Its other notes say what it does, and how to change it.',
		...Object.entries(GROUPS).flatMap(([group, files]) => [
			`## ${group}`,
			...files.flatMap((file) => renderWorkflow(file)),
		]),
		'## Lessons',
		'Small workflows that show one node or one setting each.',
		LESSONS.map(renderLesson).join('\n'),
	];
	return `${parts.join('\n\n')}\n`;
}

function renderWorkflow(file: string): string[] {
	const example = readExample(file);
	const picture = `pictures/${pictureFile(`example ${file.replace('.json', '')}`)}`;
	return [
		`### ${example.name}`,
		[...forWhom(example), `Needs ${needsOf(example).join(', ')}. [File](../gallery/${file})`].join(
			' ',
		),
		// the browser test takes them, with --pictures
		...(existsSync(`docs/${picture}`) ? [`![The workflow](${picture})`] : []),
	];
}

/** The last sentence of its description. */
const forWhom = ({ meta }: WorkflowFile) => /For [^.]*\.$/.exec(meta?.description ?? '') ?? [];

const renderLesson = (file: string) => `- [${readExample(file).name}](../lessons/${file})`;

const needsOf = ({ nodes }: WorkflowFile): string[] =>
	NEEDS.filter(([type]) => nodes.some((node) => type.test(node.type))).map(([, needed]) => needed);
