import { askAgent, type AgentVersion } from './aiAgent.ts';
import { model, nodesFor, openBridge, type Bridge } from './bridge.ts';

const asked = "={{ $fromAI('question', 'What to ask', 'string') }}";

/** Media jobs as a tool of n8n's AI Agent. */
export function mediaToolCases(version: AgentVersion): void {
	describe(`media jobs for an AI Agent of version ${version}`, () => {
		let bridge: Bridge;
		beforeAll(async () => {
			bridge = await openBridge();
		});
		beforeEach(() => {
			bridge.service.reset();
			bridge.service.forms.jobSteps = 0;
		});
		afterAll(async () => await bridge.service.stop());

		const picture = (parameters: Record<string, unknown>, operation = 'start') =>
			nodesFor(bridge.accounts).router('Painter', ['media', operation], {
				mediaType: 'images',
				model: model('canvas/sketch-1'),
				prompt: asked,
				...parameters,
			});
		const starts = () =>
			bridge.service.requests.filter(
				({ method, path }) => method === 'POST' && path.endsWith('images/jobs'),
			);

		const ask = async (question: string, parameters: Record<string, unknown>, operation?: string) =>
			await askAgent(bridge, question, [picture(parameters, operation)], version);

		it.each([
			['start', {}],
			['generate', {}],
			// n8n would have the model fill this one
			['start', { allowAgents: "={{ $fromAI('allowed', 'Whether it is allowed', 'boolean') }}" }],
		])('%s with %j is refused, and the agent can tell the user why', async (operation, more) => {
			const { output } = await ask('a cat [[tool:Painter]]', more, operation);
			expect(starts()).toEqual([]);
			expect(output).toMatch(/^The tool said: .*Allow Paid Jobs From AI Agents/);
			if (!('allowAgents' in more)) expect(output).toContain('Do not call it again');
		});

		it('with leave it is started, once for every call, and no more than the cap allows', async () => {
			const allowed = { allowAgents: true, options: { spendingCapPerExecution: 0.08 } };
			const { execution } = await ask('a cat [[tool:Painter]] [[tools:3]]', allowed);
			expect(starts()).toHaveLength(2);
			const runs = JSON.stringify(execution.runData['Painter']);
			expect(
				runs.match(/The spending cap of \$0\.08 for this execution is reached/),
			).not.toBeNull();
			const ids = execution.customData?.['mediaJob']?.split(', ');
			expect(ids).toHaveLength(2);
			for (const id of ids ?? []) expect(runs).toContain(id);
		});

		it('a file is told by its job, and stays at the service', async () => {
			const { output, execution } = await ask(
				'a cat [[tool:Painter]]',
				{ allowAgents: true },
				'generate',
			);
			expect(output).toMatch(
				/"state":"completed".*"file":\{"jobId":"job-.*is stored there for 7 days/,
			);
			expect(JSON.stringify(execution.runData)).not.toContain('"binary":{"data"');
			expect(bridge.service.requests.filter(({ path }) => path.endsWith('/content'))).toEqual([]);
		});
	});
}
