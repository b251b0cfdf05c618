import { CredentialTestContext } from 'n8n-core';
import type { ICredentialTestFunctions, INodeCredentialTestResult } from 'n8n-workflow';

import { MarketAssistant } from '../../../nodes/MarketAssistant/MarketAssistant.node';
import { ModelRouter } from '../../../nodes/ModelRouter/ModelRouter.node';
import { WorkspaceAgent } from '../../../nodes/WorkspaceAgent/WorkspaceAgent.node';
import { resolveWithoutItem, type Secrets, withDefaults } from './credentials';
import { sources } from './pack';

const { credentialTest: ofAgents } = new WorkspaceAgent().methods;
const tests = {
	workspaceAgentApi: ofAgents.testWorkspaceAgentApi,
	agentServerApi: ofAgents.testAgentServerApi,
	marketAssistantApi: new MarketAssistant().methods.credentialTest.testMarketAssistantApi,
	modelRouterApi: new ModelRouter().methods.credentialTest.testModelRouterApi,
};

/** What n8n shows when a credential named Router is saved. */
export async function testCredential(
	type: keyof typeof tests,
	data: Secrets[string],
	test = tests[type],
): Promise<INodeCredentialTestResult> {
	const context = new CredentialTestContext() as unknown as ICredentialTestFunctions;
	const { properties } = sources.credentialTypes[type]!;
	const resolved = resolveWithoutItem(properties, withDefaults(properties, data!));
	return await test.call(context, { id: 'c', name: 'Router', type, data: resolved });
}
