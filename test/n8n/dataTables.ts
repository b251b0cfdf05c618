import { dataTableScopes } from './instanceOn.ts';
import { PublicApi } from './publicApi.ts';
import type { Editor } from './editor.ts';

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
		const path = await this.#rowsOf(name);
		return (await this.#api.call<{ data: Fields[] }>('GET', `${path}?limit=100`)).data;
	}

	async insert(name: string, data: Fields[]): Promise<void> {
		await this.#api.call('POST', await this.#rowsOf(name), { data });
	}

	/** Changes the rows that have this value in this column. */
	async update(name: string, column: string, value: string, data: Fields): Promise<void> {
		const filter = matching(column, value);
		await this.#api.call('PATCH', `${await this.#rowsOf(name)}/update`, { filter, data });
	}

	/** Deletes the rows that have this value in this column. */
	async remove(name: string, column: string, value: string): Promise<void> {
		const filter = encodeURIComponent(JSON.stringify(matching(column, value)));
		await this.#api.call('DELETE', `${await this.#rowsOf(name)}/delete?filter=${filter}`);
	}

	#rowsOf = async (name: string) => `/data-tables/${await this.idOf(name)}/rows`;
}

const matching = (columnName: string, value: string) => ({
	type: 'and',
	filters: [{ columnName, condition: 'eq', value }],
});
