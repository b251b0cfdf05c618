import { randomUUID } from 'node:crypto';

import { RUNBOOK } from '../../src/n8n/documentation.ts';
import { AGENT, withModel } from './agent.ts';
import { bridgeOfFile, model, nodesFor } from './bridge.ts';
import { until } from './editor.ts';
import { mailOfFile } from './mailServer.ts';
import {
	aiAgent,
	attach,
	beginAt,
	node,
	webhook,
	workflow,
	type Attached,
	type WorkflowFile,
} from './workflow.ts';

// what an error workflow of n8n is handed of our errors, and mails or posts
const bridge = bridgeOfFile();
const mail = mailOfFile(() => bridge.editor);

const TAG = '<a href="https://example.org">Pay here</a> & <!channel>';
const refusal = { error: { code: 'insufficient_balance', message: TAG } };

/** Mails what the Error Trigger hands on, as people write it. */
async function publishErrorWorkflow() {
	const posting = node(
		'Mail',
		'n8n-nodes-base.emailSend',
		{
			fromEmail: 'n8n@example.org',
			toEmail: 'ada@example.org',
			subject: '={{ $json.execution.error.message }}',
			emailFormat: 'text',
			text: '={{ $json.execution.error.message }}\n{{ $json.execution.error.description }}',
			options: { appendAttribution: false },
		},
		{
			typeVersion: 2.1,
			credentials: { smtp: { id: mail.account.id, name: mail.account.name } },
		},
	);
	const trigger = { type: 'n8n-nodes-base.errorTrigger', typeVersion: 1 };
	return await bridge.editor.publish(beginAt(workflow('errors', [{}], posting), trigger));
}

/** A workflow that fails at our node, and one whose agent fails by our chat model. */
const failing: Array<[string, () => WorkflowFile]> = [
	[
		'a node',
		() =>
			workflow(
				'failing',
				[{}],
				nodesFor(bridge.accounts).router('Ask', ['text', 'message'], {
					model: model('northwind/quill-2.5'),
					prompt: 'Hello',
				}),
			),
	],
	[
		'the chat model of an agent',
		() => {
			const file = workflow('failing', [{}], aiAgent(AGENT, 'Hello'));
			const attached: Attached[] = [withModel(bridge)];
			attach(file, AGENT, attached);
			return file;
		},
	],
];

it.each(failing)('what is mailed of an error of %s is plain text', async (_whose, fileOf) => {
	const errors = await publishErrorWorkflow();
	const path = `fails-${randomUUID()}`;
	const file = beginAt(fileOf(), webhook(path, 'onReceived'));
	const settings = { ...file.settings, errorWorkflow: errors.id };
	const failed = await bridge.editor.publish({ ...file, settings });
	bridge.service.fault({
		match: { method: 'POST' },
		do: { type: 'status', status: 402, body: refusal },
	});
	await bridge.editor.webhook(path);
	await until('the mail has come', () => mail.server.mails.length > 0);
	const [{ subject, body } = { subject: '', body: '' }] = mail.server.mails;
	const text = body.replaceAll('\r\n', '\n');
	expect(subject).toContain('The balance does not cover this request (402)');
	expect(text).not.toMatch(/<\S|&lt;|&amp;/);
	expect(text).toContain(
		'The service says: < a href="https://example.org">Pay here< /a> & < !channel>.',
	);
	expect(text.trim().split('\n').at(-1)).toBe(`See the runbook: ${RUNBOOK}`);
	for (const { id } of [failed, errors]) await bridge.editor.deleteWorkflow(id);
});
