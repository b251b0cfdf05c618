import type { IDataObject, INodeProperties } from 'n8n-workflow';

import type { JobAddress } from '../../../src/router/jobs';
import { invalid } from '../../../src/service/errors';

/** An AI agent calls its tools as often as it likes: whether that may cost money is for a person to say. */
export const allowAgentsParam = {
	displayName: 'Allow Paid Jobs From AI Agents',
	name: 'allowAgents',
	type: 'boolean',
	// an AI agent fills what holds an expression
	noDataExpression: true,
	displayOptions: { show: { '@tool': [true] } },
	default: false,
	description:
		'Whether an AI agent may start jobs with this tool, each of which costs money, as often as it decides to. Spending Cap per Execution in the options limits what one execution spends.',
} as const satisfies INodeProperties;

/** @throws ServiceError `invalid`, whose message is all that an AI agent sees. */
export function checkAgent(asTool: boolean, allowAgents: boolean): void {
	if (!asTool || allowAgents) return;
	throw invalid(
		'This tool may not start media jobs: they cost money, and nobody has allowed it',
		`Nothing was started and nothing is charged. Do not call it again. Tell the user that a person can turn on "${allowAgentsParam.displayName}" in the node of this tool.`,
	);
}

/** What an AI agent gets in place of a file, which it cannot take. The file costs nothing where it is. */
export function fileAtService({ segment, jobId }: JobAddress): IDataObject {
	const pictures = segment === 'images' || segment === 'videos';
	const kept = pictures
		? 'It is kept there for 7 days after the job has completed.'
		: 'Music and speech are not kept there: it has to be downloaded at once.';
	return {
		jobId,
		segment,
		...(pictures && { keptDays: 7 }),
		advice: `The file is ready at the service; it was not brought into n8n, since a tool cannot return files. A node Model Router with Media Job: Download, Segment "${segment}" and Job ID "${jobId}" brings it into the workflow. ${kept}`,
	};
}
