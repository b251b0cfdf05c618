import type { SavedCredential } from './editor.ts';
import { withoutOutsideApps } from './outsideApps.ts';
import type { WorkflowFile } from './workflow.ts';

const ASKS = /^n8n-nodes-base\.slack(Tool)?$/;

const MAIL = { resource: 'email', fromEmail: 'agents@example.com', toEmail: 'you@example.com' };

/**
 * A workflow that asks a person by mail and not in Slack, so that an answer can be given. Every other node of an outside app only
 * gives back what it would send.
 *
 * @param smtp The account with which the mails are sent.
 */
export function askingByMail(file: WorkflowFile, smtp: SavedCredential): WorkflowFile {
	const nodes = file.nodes.map((node) => {
		const { type, parameters } = node;
		if (!ASKS.test(type) || parameters['operation'] !== 'sendAndWait') return node;
		return {
			...node,
			type: type.replace('slack', 'emailSend'),
			typeVersion: 2.1,
			credentials: { smtp: { id: smtp.id, name: smtp.name } },
			parameters: { ...parameters, ...MAIL, subject: node.name },
		};
	});
	return withoutOutsideApps({ ...file, nodes });
}
