/** How many requests that may cost each account has under way, in all executions of this process. */
const running = new Map<string, number>();

/** Counts a request as under way for as long as it takes. */
export async function underWay<Result>(
	account: string,
	send: () => Promise<Result>,
): Promise<Result> {
	running.set(account, countUnderWay(account) + 1);
	try {
		return await send();
	} finally {
		const left = countUnderWay(account) - 1;
		if (left > 0) running.set(account, left);
		else running.delete(account);
	}
}

export const countUnderWay = (account: string): number => running.get(account) ?? 0;
