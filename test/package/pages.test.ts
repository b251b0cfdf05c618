import { readFileSync } from 'node:fs';

import { expectCommitted } from './committed';
import { renderAgentServers } from '../../scripts/docs/agentServers';
import { createFieldLists, formatJson, renderFields } from '../../scripts/docs/fields';
import { renderNodePages, WRITTEN } from '../../scripts/docs/nodePages';
import { renderModelServices } from '../../scripts/docs/modelServices';
import { NOTES } from '../../scripts/docs/notes';
import { outputFields, withOutputFields } from '../../scripts/docs/outputFields';
import { findSentences, instructs } from '../../scripts/docs/sentences';
import { groupOf, renderTroubleshooting, whatToDo } from '../../scripts/docs/troubleshooting';

const sentences = findSentences();

it.each(renderNodePages().map(({ path, text }) => [path, text]))(
	'%s is as the node is',
	expectCommitted,
);

it('language models are told the fields of the schemas, by n8n and in the skill', () => {
	const skill = 'skills/agent-bridge/SKILL.md';
	expectCommitted(skill, withOutputFields(readFileSync(skill, 'utf8')));
	expectCommitted('nodes/outputFields.json', `${formatJson(outputFields())}\n`);
});

it('docs/model-services.md is as the table of services is', () => {
	expectCommitted('docs/model-services.md', renderModelServices());
});

it('docs/which-agents.md is as the table of servers is', () => {
	expectCommitted('docs/which-agents.md', renderAgentServers());
});

it('every title of an error or a hint is in docs/troubleshooting.md', () => {
	expect(sentences.length).toBeGreaterThan(200);
	expectCommitted('docs/troubleshooting.md', renderTroubleshooting(sentences, WRITTEN));
});

it('every one has its group there', () => {
	// a file of a new kind belongs into GROUPS of scripts/docs/troubleshooting.ts
	expect(sentences.filter((one) => !groupOf(one))).toEqual([]);
});

it('every one says what to do, or scripts/docs/notes.ts does', () => {
	const silent = sentences.filter((one) => !instructs(one.message) && !whatToDo(one));
	expect(silent.map(({ file, message }) => `${file}: ${message}`)).toEqual([]);
	const messages = sentences.map(({ message }) => message);
	expect(Object.keys(NOTES).filter((message) => !messages.includes(message))).toEqual([]);
});

// it is added to change what applies without it, which only the code knows: the pages say what follows from the default
it.each([
	[true, 'off unless added'],
	[false, 'on unless added'],
])('a boolean option that shows %j when it is added is %s', (preset, fact) => {
	const option = { displayName: 'A', name: 'a', type: 'boolean', default: preset } as const;
	const collection = { displayName: 'B', name: 'b', type: 'collection', default: {} } as const;
	const fields = [{ ...collection, options: [option] }];
	const line = `  - **A** (on or off, ${fact}).`;
	expect(renderFields(fields)).toContain(line);
	expect(createFieldLists()(fields, 'Page').split('\n')).toContain(line);
});
