import { existsSync, readFileSync } from 'node:fs';

import { readExample } from '../../test/n8n/example';
import type { WorkflowFile } from '../../test/n8n/workflow';
import { pictureFile } from '../../test/support/pictureFile';
import { WRITTEN } from './nodePages';

/** The workflows of gallery/ as docs/gallery.md shows them. A new one goes into one of these groups. */
export const GROUPS: Readonly<Record<string, readonly string[]>> = {
	'Chat with agents': [
		'message-an-agent.json',
		'chat-live-with-an-agent.json',
		'answer-slack-threads-with-two-agents.json',
		'answer-telegram-messages-with-an-agent-that-remembers.json',
		'answer-threads.json',
		'chat-with-an-ai-agent-that-remembers.json',
		'offer-services-to-mcp-clients.json',
	],
	'Agents that talk to each other': [
		'two-agents-agree-on-a-date.json',
		'two-agents-negotiate-with-the-transcript-in-a-data-table.json',
		'ai-agent-and-workspace-agent-settle-a-question.json',
		'agent-questions-the-market-assistant.json',
		'model-reviews-what-an-agent-writes.json',
		'three-specialists-with-a-moderator.json',
		'approve-in-slack-what-two-agents-say.json',
		'approve-each-turn-by-email.json',
		'judge-two-agents.json',
	],
	Market: [
		'ask-the-market-assistant.json',
		'chat-with-the-market-assistant.json',
		'send-a-daily-crypto-briefing-to-slack-and-email.json',
		'alert-in-slack-when-the-crypto-mood-turns.json',
		'research-for-a-message.json',
		'questions-under-the-rate-limit.json',
	],
	'Pictures, videos and speech': [
		'make-a-picture.json',
		'picture-from-a-form.json',
		'make-a-picture-from-a-form-and-save-it-to-google-drive.json',
		'look-at-a-picture.json',
		'read-a-text-aloud.json',
		'read-an-article-aloud-and-save-it-to-google-drive.json',
		'nightly-batch-with-spending-cap.json',
		'video-1-start.json',
		'video-2-bring.json',
		'wait-durably-for-videos.json',
		'wait-for-media-jobs.json',
	],
	'Costs and models': [
		'chat-with-a-model.json',
		'chat-live-with-a-model.json',
		'chat-under-a-spending-cap.json',
		'compare-two-models.json',
		'compare-two-models-with-n8n-evaluation.json',
		'log-what-answers-cost-with-a-daily-total-in-slack.json',
		'post-new-models-and-price-changes-to-slack.json',
		'read-an-order.json',
		'read-orders-from-gmail-into-a-data-table.json',
		'let-a-model-use-a-tool.json',
	],
	'When something goes wrong': [
		'ask-in-slack-what-became-of-an-unknown-paid-start.json',
		'confirm-each-video.json',
	],
};

/** What a workflow needs, by the type of a node: ours by their interface, apps by their name. */
const NEEDS: ReadonlyArray<[type: RegExp, needed: string]> = [
	[/agent-bridge\.workspaceAgent/, 'Workspace Agent'],
	[/agent-bridge\.marketAssistant/, 'Market Assistant'],
	[/agent-bridge\.(modelRouter|lmChatModelRouter)/, 'Model Router'],
	[/\.slack/, 'Slack'],
	[/\.telegram/, 'Telegram'],
	[/\.gmail/, 'Gmail'],
	[/\.googleDrive/, 'Google Drive'],
	[/\.emailSend/, 'an SMTP account'],
	[/\.mcpTrigger/, 'an MCP client'],
	[/\.dataTable$/, 'Data Tables of n8n'],
];

export function renderGallery(): string {
	const { repository } = JSON.parse(readFileSync('addresses.json', 'utf8')) as {
		repository: string;
	};
	const parts = [
		'# Gallery',
		WRITTEN,
		'Workflows to import and change. Each has three notes: what it does, how to set it up in three steps, and how to make it yours.',
		'## How to import one',
		[
			'1. Open the file of the workflow, and download it.',
			'2. Create a workflow in n8n. Open its menu at the top right, and choose **Import from File**.',
			'3. Follow the note **Set up**: choose your credentials and models, then execute the workflow.',
		].join('\n'),
		`You can also copy the text of the file, and paste it onto the canvas. Up to n8n 2 there is **Import from URL**: enter \`${repository}/raw/main/gallery/\` and the name of the file.`,
		...Object.entries(GROUPS).flatMap(([group, files]) => [
			`## ${group}`,
			...files.flatMap((file) => renderWorkflow(file)),
		]),
	];
	return `${parts.join('\n\n')}\n`;
}

function renderWorkflow(file: string): string[] {
	const example = readExample(file);
	const picture = `pictures/${pictureFile(`example ${file.replace('.json', '')}`)}`;
	return [
		`### ${example.name}`,
		example.meta?.description ?? '',
		`Needs: ${needsOf(example).join(', ')}. File: [${file}](../gallery/${file})`,
		// the browser test takes them, with --pictures
		...(existsSync(`docs/${picture}`) ? [`![${example.name}](${picture})`] : []),
	];
}

const needsOf = ({ nodes }: WorkflowFile): string[] =>
	NEEDS.filter(([type]) => nodes.some((node) => type.test(node.type))).map(([, needed]) => needed);
