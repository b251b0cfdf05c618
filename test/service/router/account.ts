/** A balance in micro-dollars with the amounts held by what is running (section 8, rule 4). */
export interface Account {
	readonly balance: number;
	readonly held: number;
	/** Configurations that were used before: their hold has no margin. */
	used: Set<string>;
	fits(amount: number): boolean;
	/** Puts the balance at an amount; what is held stays held. */
	setBalance(amount: number): void;
	/** @returns a function that replaces the hold by the cost; only its first call counts. */
	hold(amount: number): (cost: number) => void;
}

export function createAccount(start: number): Account {
	let balance = start;
	let held = 0;
	return {
		get balance() {
			return balance;
		},
		get held() {
			return held;
		},
		used: new Set(),
		fits: (amount) => amount <= balance - held,
		setBalance: (amount) => (balance = amount),
		hold(amount) {
			held += amount;
			let open = true;
			return (cost) => {
				if (!open) return;
				open = false;
				held -= amount;
				balance -= cost;
			};
		},
	};
}
