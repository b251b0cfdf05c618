// Who may ask the agent of LangGraph: as its documentation has it, whoever has the key in the header of LangGraph's own client.
import { Auth, HTTPException } from '@langchain/langgraph-sdk/auth';

export const auth = new Auth().authenticate(async (request) => {
	if (request.headers.get('x-api-key') !== 'key')
		throw new HTTPException(401, { message: 'Invalid API key' });
	return 'somebody';
});
