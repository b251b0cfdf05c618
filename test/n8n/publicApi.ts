import axios, { type AxiosInstance } from 'axios';
import { Agent } from 'node:http';
import { RestError } from './editor.ts';

export interface ApiAnswer<T = unknown> {
	status: number;
	body: T;
}

/** n8n's public API with a key, as a program outside n8n uses it. */
export class PublicApi {
	readonly #http: AxiosInstance;

	constructor(url: string, apiKey: string) {
		// as many connections as there are requests: they are meant to meet
		this.#http = axios.create({
			baseURL: `${url}/api/v1`,
			headers: { 'X-N8N-API-KEY': apiKey },
			httpAgent: new Agent(),
			proxy: false,
			timeout: 120_000,
			validateStatus: () => true,
		});
	}

	/** One call, whatever its answer. */
	async send<T>(method: string, path: string, body?: unknown): Promise<ApiAnswer<T>> {
		const { status, data } = await this.#http
			.request<T>({ method, url: path, data: body })
			.catch((error: Error) => {
				// an error of axios holds the key
				throw new Error(`${method} ${path}: ${error.message}`);
			});
		return { status, body: data };
	}

	/** @returns the answer's body @throws RestError on a status of 400 and more */
	async call<T>(method: string, path: string, body?: unknown): Promise<T> {
		const answer = await this.send<T>(method, path, body);
		if (answer.status >= 400) throw new RestError(method, path, answer.status, answer.body);
		return answer.body;
	}
}
