import type { AxiosResponse } from 'axios';
import { Rest, RestError, type Editor } from './editor.ts';

/** Every scope of n8n's public API that has to do with Data Tables. */
export const dataTableScopes = [
	...['create', 'delete', 'list', 'read', 'update'].map((each) => `dataTable:${each}`),
	...['create', 'delete', 'read', 'update'].map((each) => `dataTableColumn:${each}`),
	...['create', 'delete', 'read', 'update', 'upsert'].map((each) => `dataTableRow:${each}`),
];

/** n8n's public API with a key, as a program outside n8n uses it. */
export class PublicApi {
	readonly #rest: Rest;

	constructor(url: string, apiKey: string) {
		this.#rest = new Rest(`${url}/api/v1`, { 'X-N8N-API-KEY': apiKey });
	}

	/** One call, whatever its answer. */
	async send<T>(method: string, path: string, body?: unknown): Promise<AxiosResponse<T>> {
		return await this.#rest.send<T>(method, path, { data: body });
	}

	/** @returns the answer's body @throws RestError on a status of 400 and more */
	async call<T>(method: string, path: string, body?: unknown): Promise<T> {
		const { status, data } = await this.send<T>(method, path, body);
		if (status >= 400) throw new RestError(method, path, status, data);
		return data;
	}
}

export type Fields = Record<string, unknown>;

/** The Data Tables of an n8n, by their names. */
export class DataTables {
	readonly #api: PublicApi;

	private constructor(api: PublicApi) {
		this.#api = api;
	}

	static async of(editor: Editor): Promise<DataTables> {
		return new DataTables(new PublicApi(editor.url, await editor.createApiKey(dataTableScopes)));
	}

	async idOf(name: string): Promise<string> {
		const { data } = await this.#api.call<{ data: Array<{ id: string; name: string }> }>(
			'GET',
			`/data-tables?limit=100&filter=${encodeURIComponent(JSON.stringify({ name }))}`,
		);
		const found = data.find((table) => table.name === name);
		if (!found) throw new Error(`there is no table "${name}"`);
		return found.id;
	}

	async rows(name: string): Promise<Fields[]> {
		return await this.rowsById(await this.idOf(name));
	}

	async rowsById(id: string): Promise<Fields[]> {
		const path = `/data-tables/${id}/rows?limit=100`;
		return (await this.#api.call<{ data: Fields[] }>('GET', path)).data;
	}

	async insert(name: string, data: Fields[]) {
		await this.#api.call('POST', await this.#rowsOf(name), { data });
	}

	/** Changes the rows that have this value in this column. */
	async update(name: string, column: string, value: string, data: Fields) {
		const filter = matching(column, value);
		await this.#api.call('PATCH', `${await this.#rowsOf(name)}/update`, { filter, data });
	}

	/** Deletes the rows that have this value in this column. */
	async remove(name: string, column: string, value: string) {
		const filter = encodeURIComponent(JSON.stringify(matching(column, value)));
		await this.#api.call('DELETE', `${await this.#rowsOf(name)}/delete?filter=${filter}`);
	}

	#rowsOf = async (name: string) => `/data-tables/${await this.idOf(name)}/rows`;
}

const matching = (columnName: string, value: string) => ({
	type: 'and',
	filters: [{ columnName, condition: 'eq', value }],
});
