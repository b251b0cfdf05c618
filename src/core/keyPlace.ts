/** Where a service takes its key. */
export interface KeyPlace {
	readonly header: string;
	/** What comes before the key. */
	readonly prefix?: string;
	/** Others that have to come with it. */
	readonly headers?: Readonly<Record<string, string>>;
}

export const BEARER: KeyPlace = { header: 'Authorization', prefix: 'Bearer ' };
export const X_API_KEY: KeyPlace = { header: 'X-API-Key' };

/** What the field Key In of a credential offers. Its values are stored: never change one. */
export const keyPlaces = {
	apiKey: { name: 'Header Api-Key', place: { header: 'api-key' } },
	bearer: { name: 'Header Authorization (Bearer)', place: BEARER },
	xApiKey: { name: 'Header X-API-KEY', place: X_API_KEY },
} as const satisfies Record<string, { name: string; place: KeyPlace }>;

/**
 * Where a key goes by what was chosen there.
 *
 * @param otherwise Where nothing was chosen.
 * @returns undefined where the service takes none.
 */
export function keyPlaceIn(keyIn: unknown, otherwise: KeyPlace): KeyPlace | undefined {
	if (keyIn === 'none') return undefined;
	return typeof keyIn === 'string' && Object.hasOwn(keyPlaces, keyIn)
		? keyPlaces[keyIn as keyof typeof keyPlaces].place
		: otherwise;
}
