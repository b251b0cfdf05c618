import { recordConversation, recordWorkId } from '../../../src/n8n/recordIds';
import { executeContext } from './executeContext';

it('an ID or a name with line breaks is one line of the log', () => {
	const n8n = executeContext({});
	const logged: string[] = [];
	jest.spyOn(n8n.logger, 'info').mockImplementation((line) => void logged.push(line));
	const forged = 'j-1\n2026-11-23 | error | Workflow was deleted\r\u2028\u0085by \u001b[31mowner';
	recordWorkId(n8n, new Map(), 'mediaJob', forged);
	recordConversation(n8n, 0, { progress: forged, sessions: forged, facts: {}, details: {} });
	expect(logged).toHaveLength(2);
	for (const line of logged) {
		expect(line).toContain('j-1 2026-11-23 | error | Workflow was deleted by  [31mowner');
		expect(line).not.toMatch(/\p{Cc}|\p{Zl}/u);
	}
});
