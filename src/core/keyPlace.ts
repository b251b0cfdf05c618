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
