/** Models among which one is chosen for each request, as a team keeps them in one place. */
export interface ModelList {
	name: string;
	/** IDs, in any spelling. */
	models: string[];
	/** Stored in credentials. Of the cheapest first, the bound of each request decides. */
	order: 'asListed' | 'cheapestFirst';
}

/** The same text for all spellings of the ID of a model. The slash between vendor and model is significant. */
export const normalizeModelId = (id: string) => id.toLowerCase().replace(/[^\p{L}\p{N}/]/gu, '');
