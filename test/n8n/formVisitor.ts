import { owner, until } from './editor.ts';
import type { WorkflowFile } from './workflow.ts';

/** What the page at the end of a form shows, and the files that it makes the browser download. */
export interface FormEnding {
	html: string;
	files: Array<{ fileName: string; type: string; bytes: Buffer }>;
}

/** A page of a form, as the browser shows it. */
export interface FormPage {
	url: string;
	html: string;
}

/** A workflow whose form is at this path. */
export const formAt = (path: string, { nodes, ...rest }: WorkflowFile): WorkflowFile => ({
	...rest,
	nodes: nodes.map((node) =>
		node.type.endsWith('.formTrigger') ? { ...node, webhookId: path } : node,
	),
});

/** Opens and sends n8n's forms as a browser does, with its cookies, its redirects and what the pages' scripts do. */
export class FormVisitor {
	readonly #cookies = new Map<string, string>();
	readonly #n8n: string;

	constructor(n8n: string) {
		this.#n8n = n8n;
	}

	async #signIn() {
		const headers = { 'content-type': 'application/json' };
		const body = JSON.stringify({ emailOrLdapLoginId: owner.email, password: owner.password });
		await this.#fetch('/rest/login', { method: 'POST', headers, body });
	}

	/**
	 * Opens a published form.
	 *
	 * @returns the page; of a form for signed-in people the one that asks for consent, or for signing in.
	 */
	async open(path: string): Promise<FormPage> {
		let page: Response | undefined;
		await until(`the form ${path} is registered`, async () => {
			page = await this.#fetch(`/form/${path}`);
			return page.status !== 404;
		});
		return { url: page!.url, html: await page!.text() };
	}

	/** Opens a published form as the owner of n8n, who allows it to run with her login. */
	async openAsOwner(path: string): Promise<FormPage> {
		if (!this.#cookies.size) await this.#signIn();
		const first = await this.open(path);
		if (!first.url.includes('/oauth/consent')) return first;
		const headers = { 'content-type': 'application/json' };
		const body = JSON.stringify({ approved: true });
		const answer = await this.#fetch('/rest/consent/approve', { method: 'POST', headers, body });
		const { data } = (await answer.json()) as { data: { redirectUrl: string } };
		const page = await this.#fetch(data.redirectUrl);
		return { url: page.url, html: await page.text() };
	}

	/** Fills in the fields of an opened form, in their order, sends it and waits for its ending. */
	async send(form: FormPage, ...values: string[]): Promise<FormEnding> {
		const { url, html } = await this.next(form, ...values);
		// the page tells n8n at once that it was shown
		await fetch(url, { method: 'POST', headers: tokenIn(html) });
		return { html, files: filesIn(html) };
	}

	/** Fills in the fields of an opened form, in their order, and sends it. @returns the page that comes next */
	async next(form: FormPage, ...values: string[]): Promise<FormPage> {
		const names = [...form.html.matchAll(/\bname='(field-\d+)'/g)].map(([, name = '']) => name);
		const fields = [...new Set(names)];
		const body = new FormData();
		for (const [index, value] of values.entries()) body.append(fields[index] ?? '', value);
		const sent = await fetch(form.url, { method: 'POST', headers: tokenIn(form.html), body });
		// a page that is not the first has the address of the next one already
		const answer = (await sent.json()) as { formWaitingUrl?: string };
		const url = answer.formWaitingUrl ?? form.url;

		const status = new URL(url);
		status.pathname += '/n8n-execution-status';
		let html = form.html;
		await until(
			'the form has a next page',
			async () => {
				const word = await (await this.#fetch(status.href)).text();
				if (/^(canceled|crashed|error|null)$/.test(word)) throw new Error(`it ended: ${word}`);
				if (word !== 'form-waiting') return false;
				html = await (await this.#fetch(url)).text();
				// n8n shows the page that was sent until it has gone on
				return titleIn(html) !== titleIn(form.html);
			},
			120,
		);
		return { url, html };
	}

	/** Follows redirects by hand, since each of them may set cookies. */
	async #fetch(address: string, init: RequestInit = {}): Promise<Response> {
		const headers = { ...(init.headers as Record<string, string>), cookie: this.#cookieLine() };
		const url = new URL(address, this.#n8n);
		const answer = await fetch(url, { ...init, headers, redirect: 'manual' });
		for (const line of answer.headers.getSetCookie()) {
			const [, name = '', value = ''] = line.match(/^([^=]+)=([^;]*)/) ?? [];
			this.#cookies.set(name, value);
		}
		const location = answer.headers.get('location');
		return location ? await this.#fetch(new URL(location, url).href) : answer;
	}

	#cookieLine = () => [...this.#cookies].map(([name, value]) => `${name}=${value}`).join('; ');
}

/** The pages are sandboxed, hence send no cookies: they prove by this who has opened them. */
function tokenIn(html: string): Record<string, string> {
	const token = html.match(/const authToken = '([^']+)'/)?.[1];
	return token ? { 'x-auth-token': token } : {};
}

const titleIn = (html: string) => html.match(/<h1[^>]*>([^]*?)<\/h1>/)?.[1]?.trim();

function filesIn(html: string): FormEnding['files'] {
	const text = html.match(/JSON\.parse\(decodeURIComponent\("([^"]+)"\)\)/)?.[1];
	const files = JSON.parse(decodeURIComponent(text ?? '[]')) as Array<{
		fileName: string;
		type: string;
		data: { data: number[] };
	}>;
	return files.map(({ fileName, type, data }) => ({
		fileName,
		type,
		bytes: Buffer.from(data.data),
	}));
}
