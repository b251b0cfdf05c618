import { createWithLedger, model, nodesFor, secretsOf } from '../n8n/bridge.ts';
import { beginAt, chatTrigger, workflow, type WorkflowFile } from '../n8n/workflow.ts';
import { ChatPanel } from './chatPanel.ts';
import { takePicture } from './pictures.ts';
import { it, sessionOfFile } from './session.ts';

// what a person sees while a video is made, and of its cost: docs/texts-and-media.md
const session = sessionOfFile({ personas: true });

it('a chat shows how a video goes on, and the panel what it has cost', async () => {
	const { page, bridge } = session;
	const { editor, service, accounts } = bridge;
	const secret = secretsOf(service).router;
	const router = await createWithLedger(editor, secret, { budgetUsd: '5' });
	const video = nodesFor({ ...accounts, router }).router('Make a Video', ['media', 'generate'], {
		mediaType: 'videos',
		model: model('reel/short-1.0'),
		prompt: '={{ $json.chatInput }}',
	});
	const file = beginAt(workflow('A video in the chat', [], video), chatTrigger('chat'));
	const named = JSON.stringify(file).replaceAll('When clicking', 'When chat message received');
	await page.openWorkflow(await editor.importWorkflow(JSON.parse(named) as WorkflowFile));
	service.forms.jobSteps = Infinity;
	service.fault({
		match: { method: 'POST', path: '/jobs' },
		do: { type: 'replace', find: '"status":"processing"', with: '"status":"queued"' },
	});
	const chat = new ChatPanel(page.tab);
	await chat.open();
	await chat.enlarge(840, 350);
	await chat.write('Waves on a beach at sunset');
	expect(await chat.answers(/processing/)).toEqual([
		expect.stringMatching(/^Video: started\s+Video: processing/),
	]);
	service.forms.jobSteps = 0;
	const [said] = await chat.answers(/\.mp4/);
	expect(said).toMatch(/Video: completed( after \d+ s)?\s+Video: \S+\.mp4$/);
	expect(said).not.toContain('No response received');
	expect(said).not.toContain('$');
	await page.ended();
	await takePicture('chat while a video is made', page.tab.locator('body'));
	const panel = await page.openNode('Make a Video');
	await panel.showsOutput(/This job cost \$0\.35\. Budget: \$4\.65 left this month\./);
	await panel.close();
	await chat.hide();
});
