import { readFileSync } from 'node:fs';

import type { WorkflowFile } from '../n8n/workflow.ts';

/** The workflows that the skill for language models shows. */
export const skillWorkflows = (): WorkflowFile[] =>
	[
		...readFileSync('skills/agent-bridge/SKILL.md', 'utf8').matchAll(/```json\n([\s\S]*?)\n```/g),
	].map(([, json = '']) => JSON.parse(json) as WorkflowFile);
