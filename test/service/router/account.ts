export type Account = ReturnType<typeof createAccount>;

/** A balance in micro-dollars with the amounts held by what is running (section 8, rule 4). */
export function createAccount(balance: number) {
	const account = {
		balance,
		held: 0,
		/** Configurations that were used before: their hold has no margin. */
		used: new Set<string>(),
		fits: (amount: number) => amount <= account.balance - account.held,
		/** @returns a function that replaces the hold by the cost; only its first call counts. */
		hold(amount: number) {
			account.held += amount;
			let open = true;
			return (cost: number) => {
				if (!open) return;
				open = false;
				account.held -= amount;
				account.balance -= cost;
			};
		},
	};
	return account;
}
