/** A browser as far as n8n looks at it: it takes links that a program opens for those of a preview, which decides nothing. */
const headers = { 'user-agent': 'Mozilla/5.0 (X11; Linux x86_64) Firefox/140.0' };

/** Opens a link of a mail, as a click on its button does. @returns the page */
export async function openLink(url: string): Promise<string> {
	const page = await fetch(url, { headers });
	if (!page.ok) throw new Error(`${url} answered ${page.status}: ${await page.text()}`);
	return await page.text();
}

/** Opens the form behind a link, writes into its only field and sends it. */
export async function answerForm(url: string, text: string): Promise<void> {
	const name = /\bname='(field-\d+)'/.exec(await openLink(url))?.[1];
	if (!name) throw new Error(`${url} has no form`);
	const body = new FormData();
	body.append(name, text);
	const sent = await fetch(url, { method: 'POST', headers, body });
	if (!sent.ok) throw new Error(`${url} answered ${sent.status}: ${await sent.text()}`);
}

/** Opens the form behind a link, fills in its fields in their order and sends it. */
export async function answerFields(url: string, answers: string[]): Promise<void> {
	const page = await openLink(url);
	const body = new FormData();
	for (const [index, answer] of answers.entries()) {
		const name = `field-${index}`;
		if (!page.includes(name)) throw new Error(`${url} has no ${name}`);
		body.append(name, answer);
	}
	const sent = await fetch(url, { method: 'POST', headers, body });
	if (!sent.ok) throw new Error(`${url} answered ${sent.status}: ${await sent.text()}`);
}
