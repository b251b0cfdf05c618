// The server of LangGraph, which keeps the messages of each thread.
import { fileURLToPath } from 'node:url';
import { startServer } from '@langchain/langgraph-api/server';

/** @returns {Promise<string>} its address */
export async function startLangGraph() {
	const { host } = await startServer({
		port: 0,
		nWorkers: 1,
		host: '127.0.0.1',
		// where it keeps its threads
		cwd: process.cwd(),
		graphs: { agent: `${fileURLToPath(new URL('graph.mjs', import.meta.url))}:graph` },
	});
	return `http://${host}`;
}
