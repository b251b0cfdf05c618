// The server of LangGraph, which keeps the messages of each thread.
import { fileURLToPath } from 'node:url';
import { startServer } from '@langchain/langgraph-api/server';

const pathOf = (file) => fileURLToPath(new URL(file, import.meta.url));

/** @returns {Promise<string>} its address */
export async function startLangGraph() {
	const { host } = await startServer({
		port: 0,
		nWorkers: 1,
		host: '127.0.0.1',
		// where it keeps its threads
		cwd: process.cwd(),
		graphs: {
			agent: `${pathOf('graph.mjs')}:graph`,
			branches: `${pathOf('graph.mjs')}:branches`,
			approving: `${pathOf('graph.mjs')}:approving`,
		},
		auth: { path: `${pathOf('auth.mjs')}:auth` },
	});
	return `http://${host}`;
}
