/** The same text for all spellings of the ID of a model. The slash between vendor and model is significant. */
export const normalizeModelId = (id: string) => id.toLowerCase().replace(/[^\p{L}\p{N}/]/gu, '');
