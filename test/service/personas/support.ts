import { lastWeekday, WEEKDAYS } from './words.ts';

export const isSupport = (said: readonly string[]): boolean =>
	said.some((each) => /\border (number )?\d+|\baddress\b|\binvoices?\b/i.test(each));

/** Answers customers, and knows what a thread is about. */
export function support(said: readonly string[]): string {
	const message = said.at(-1) ?? '';
	const again = said.slice(0, -1).includes(message) ? 'As I wrote before: ' : '';
	return again + answerTo(message, said);
}

function answerTo(message: string, said: readonly string[]): string {
	const order = said.map((each) => /\border (?:number )?(\d+)/i.exec(each)?.[1]).findLast(Boolean);
	const isAddress = said.some((each) => /\baddress\b/i.test(each));
	if (/\binvoices?\b/i.test(message)) {
		return isAddress
			? 'The address for invoices is on the same page, in the second box. It counts from your next invoice on; for an old one, send me its number.'
			: 'You find all invoices under Account, then Invoices. Which one do you need?';
	}
	if (/\baddress\b/i.test(message)) {
		return 'Open Account, then Addresses, choose Edit, and save. A parcel that is on its way still goes to the old address.';
	}
	const day = lastWeekday(message);
	if (order && day) {
		const place = WEEKDAYS.indexOf(day);
		const after = (days: number) => WEEKDAYS[(place + days) % 7] ?? day;
		return `Thank you. Order ${order} of ${day} left our warehouse on ${after(2)} and should be with you by ${after(4)}. If it is not, write here again: then we send it a second time.`;
	}
	if (order)
		return `I am sorry that order ${order} is not there yet. On which day did you place it? Then I can find the parcel.`;
	return 'What is the number of your order? It is in the e-mail that confirmed it.';
}
