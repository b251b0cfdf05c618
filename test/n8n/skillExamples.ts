import { EXPECTED, fillIn, skillExamples } from '../support/skill.ts';
import { createWithLedger, secretsOf, type Bridge } from './bridge.ts';
import type { SavedWorkflow } from './editor.ts';
import { itemsOf } from './execution.ts';

/**
 * Every example of the skill is saved, and does what it says: one that waits for events is saved, and that is all.
 *
 * @param save Makes a workflow of the code of an example.
 */
export async function expectExamples(
	{ editor, service, accounts }: Bridge,
	save: (code: string) => Promise<SavedWorkflow>,
) {
	service.forms.jobSteps = 0;
	const fields = { budgetUsd: '50', recordSpending: true };
	const router = await createWithLedger(editor, secretsOf(service).router, fields);
	const given: Record<string, unknown> = {};
	for (const { title, code } of skillExamples()) {
		const saved = await save(fillIn(code, { ...accounts, router }));
		const expected = EXPECTED[title];
		if (!expected) continue;
		const execution = await editor.run(saved);
		given[title] = execution.error?.message ?? itemsOf(execution, expected.node)[0]?.json;
	}
	const expected = Object.entries(EXPECTED).map(
		([title, { json }]) => [title, expect.objectContaining(json)] as const,
	);
	expect(given).toEqual(Object.fromEntries(expected));
}
