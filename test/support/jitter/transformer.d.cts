interface Transformer {
	process(text: string, file: string, options: { supportsStaticESM: boolean }): { code: string };
}

export function createTransformer(options: object): Transformer;
