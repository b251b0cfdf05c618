import type { ILoadOptionsFunctions, INodeListSearchResult } from 'n8n-workflow';

import { listAgents } from '../../src/agent/asking';
import { connect } from '../../src/n8n/connect';
import { toNodeError } from '../../src/n8n/errors';
import { requireN8n } from '../../src/n8n/n8nVersions';
import { createRedactor } from '../../src/n8n/redact';
import { readServer } from './message/anotherServer';
import { serverAccess } from './resources';

/** Finds agents for the picker: those that the server of the credential lists. */
export async function searchAgents(
	this: ILoadOptionsFunctions,
	search = '',
): Promise<INodeListSearchResult> {
	requireN8n(this);
	const redact = createRedactor();
	try {
		const { http, server } = await connect(this, serverAccess, redact);
		const wanted = search.trim().toLowerCase();
		const found = (await listAgents(http, readServer(server))).filter(({ id, name }) =>
			`${name} ${id}`.toLowerCase().includes(wanted),
		);
		return redact.data({ results: found.map(({ id, name }) => ({ name, value: id })) });
	} catch (cause) {
		// everyone who may use the credential sees this message, so the key must not be in it
		throw toNodeError(this.getNode(), cause, undefined, redact);
	}
}
