import { claimantsOf, expectOneWinnerEach, makeTable } from './claims.ts';
import { dataTableScopes, PublicApi } from './publicApi.ts';
import { sharedEditor } from './shared.ts';

// on PostgreSQL in test/long
it('a row of a Data Table goes to exactly one of twenty that claim it at once', async () => {
	const editor = await sharedEditor();
	const api = new PublicApi(editor.url, await editor.createApiKey(dataTableScopes));
	await expectOneWinnerEach(await makeTable(api), claimantsOf(20), ['first', 'second']);
});
