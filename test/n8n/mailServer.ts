import { createServer, type AddressInfo, type Server, type Socket } from 'node:net';

import { until, type CredentialSecret, type Editor, type SavedCredential } from './editor.ts';

export interface Mail {
	subject: string;
	to: string;
	/** The text or the HTML, decoded. */
	body: string;
	/** The addresses of its links and buttons. */
	links: string[];
}

/** An SMTP server on loopback that keeps what it is sent: n8n's own mail nodes write to it as to any other. */
export class MailServer {
	readonly mails: Mail[] = [];
	/** Is told of each mail that comes. */
	onMail: (mail: Mail) => void = () => undefined;
	readonly #server: Server;
	readonly #open = new Set<Socket>();
	/** How many mails somebody has looked at. */
	#seen = 0;

	private constructor() {
		this.#server = createServer((socket) => this.#talk(socket));
	}

	static async start(): Promise<MailServer> {
		const mails = new MailServer();
		await new Promise<void>((resolve) => mails.#server.listen(0, '127.0.0.1', resolve));
		return mails;
	}

	/** The credential for n8n's mail nodes, named as the examples name it. */
	get secret(): CredentialSecret {
		const { port } = this.#server.address() as AddressInfo;
		const data = { host: '127.0.0.1', port, secure: false, disableStartTls: true };
		return { name: 'SMTP account', type: 'smtp', data: { ...data, user: '', password: '' } };
	}

	/** The next mail that nobody has looked at, once the execution waits for its answer. @throws if the execution fails */
	async next(editor: Editor, execution: string): Promise<Mail> {
		await until('a mail has come', async () => {
			if (this.mails.length > this.#seen) return true;
			const { status, error } = await editor.execution(execution);
			if (status === 'error') throw new Error(error?.message);
			return false;
		});
		await until('it waits', async () => (await editor.execution(execution)).status === 'waiting');
		return this.mails[this.#seen++]!;
	}

	/** Forgets all mails. */
	clear() {
		this.mails.length = 0;
		this.#seen = 0;
	}

	async stop() {
		for (const socket of this.#open) socket.destroy();
		await new Promise((resolve) => this.#server.close(resolve));
	}

	/** As much of RFC 5321 as a mail needs. */
	#talk(socket: Socket) {
		this.#open.add(socket);
		socket.on('close', () => this.#open.delete(socket)).on('error', () => socket.destroy());
		socket.setEncoding('latin1');
		const say = (line: string) => socket.write(`${line}\r\n`);
		let unread = '';
		let mail: string[] | undefined;
		const hear = (line: string) => {
			if (mail) {
				if (line !== '.') {
					mail.push(line.replace(/^\.\./, '.'));
					return;
				}
				const read = readMail(mail.join('\r\n'));
				this.mails.push(read);
				this.onMail(read);
				mail = undefined;
				say('250 OK');
			} else if (/^DATA$/i.test(line)) {
				mail = [];
				say('354 Go ahead');
			} else if (/^QUIT$/i.test(line)) {
				say('221 Bye');
				socket.end();
			} else say('250 OK');
		};
		socket.on('data', (piece: string) => {
			const lines = (unread + piece).split('\r\n');
			unread = lines.pop() ?? '';
			lines.forEach(hear);
		});
		say('220 127.0.0.1 ESMTP');
	}
}

/** The mail server of the test file that calls this, empty before each test, and the account by which n8n sends to it. */
export function mailOfFile(editorOf: () => Editor) {
	const mail = {} as { server: MailServer; account: SavedCredential };
	beforeAll(async () => {
		mail.server = await MailServer.start();
		mail.account = await editorOf().createCredential(mail.server.secret);
	});
	beforeEach(() => mail.server.clear());
	afterAll(async () => await mail.server?.stop());
	return mail;
}

/** The link to a form, or with which somebody approves or not. */
export function linkOf({ links }: Mail, isApproval = true): string {
	const link = links.find((url) => url.includes(`approved=${isApproval}`));
	if (!link) throw new Error(`the mail has no such link: ${links.join(' ')}`);
	return link;
}

/** Opens a link of a mail, as a click on its button does. @returns the page */
export async function openLink(url: string, init: RequestInit = {}): Promise<string> {
	// as a browser: n8n takes links that a program opens for those of a preview, which decides nothing
	const headers = { 'user-agent': 'Mozilla/5.0 (X11; Linux x86_64) Firefox/140.0' };
	const page = await fetch(url, { headers, ...init });
	if (!page.ok) throw new Error(`${url} answered ${page.status}: ${await page.text()}`);
	return await page.text();
}

/** Opens the form behind a link, fills in its fields in their order and sends it. */
export async function answerForm(url: string, ...answers: string[]) {
	const page = await openLink(url);
	const body = new FormData();
	for (const [index, answer] of answers.entries()) {
		const name = `field-${index}`;
		if (!page.includes(name)) throw new Error(`${url} has no ${name}`);
		body.append(name, answer);
	}
	await openLink(url, { method: 'POST', body });
}

/** One part only, which is what n8n sends with a text or with HTML. */
function readMail(raw: string): Mail {
	const [head = '', ...rest] = raw.split('\r\n\r\n');
	const headers = head.replaceAll(/\r\n[ \t]+/g, ' ');
	const header = (name: string) => new RegExp(`^${name}: (.*)$`, 'im').exec(headers)?.[1] ?? '';
	const body = decode(rest.join('\r\n\r\n'), header('Content-Transfer-Encoding'));
	const links = [...body.matchAll(/href="([^"]+)"/g)].map(([, url = '']) =>
		url.replaceAll('&amp;', '&'),
	);
	return { subject: decodeWords(header('Subject')), to: header('To'), body, links };
}

/** What is not plain ASCII in a header, in parts (RFC 2047). */
const decodeWords = (text: string) =>
	text
		.replaceAll(/(\?=)\s+(=\?)/g, '$1$2')
		.replaceAll(/=\?UTF-8\?Q\?([^?]*)\?=/gi, (_, word: string) =>
			decode(word.replaceAll('_', ' '), 'quoted-printable'),
		);

function decode(body: string, encoding: string) {
	if (/base64/i.test(encoding)) return Buffer.from(body, 'base64').toString();
	if (!/quoted-printable/i.test(encoding)) return Buffer.from(body, 'latin1').toString();
	const bytes = body
		.replaceAll(/=\r\n/g, '')
		.replaceAll(/=([0-9A-F]{2})/gi, (_, hex: string) => String.fromCharCode(parseInt(hex, 16)));
	return Buffer.from(bytes, 'latin1').toString();
}
