import {
	ICredentialsHelper,
	type ICredentialDataDecryptedObject,
	type ICredentials,
	type ICredentialType,
	type IHttpRequestOptions,
	type INodeCredentialsDetails,
	type INodeProperties,
	type IRequestOptionsSimplified,
	type IWorkflowExecuteAdditionalData,
} from 'n8n-workflow';

export type Secrets = Record<string, ICredentialDataDecryptedObject>;

/** Hands out the test's credentials, by id or by type, as n8n's own helper does, and counts the readings. */
export class Credentials extends ICredentialsHelper {
	readonly types: Record<string, ICredentialType>;
	readonly secrets: Secrets;
	read = 0;

	constructor(types: Record<string, ICredentialType>, secrets: Secrets) {
		super();
		this.types = types;
		this.secrets = secrets;
	}
	async getDecrypted(
		_data: IWorkflowExecuteAdditionalData,
		{ id }: INodeCredentialsDetails,
		type: string,
	) {
		this.read++;
		const found = this.secrets[id ?? ''] ?? this.secrets[type];
		if (!found) throw new Error(`no test credential ${type}`);
		return { ...found };
	}
	async authenticate(
		data: ICredentialDataDecryptedObject,
		type: string,
		options: IHttpRequestOptions | IRequestOptionsSimplified,
	): Promise<IHttpRequestOptions> {
		const authenticate = this.types[type]?.authenticate;
		if (typeof authenticate !== 'function')
			throw new Error(`${type} has no function to authenticate with`);
		return await authenticate(data, options as IHttpRequestOptions);
	}
	getParentTypes() {
		return [];
	}
	isCredentialUsableByNode() {
		return true;
	}
	async preAuthentication() {
		return undefined;
	}
	async runPreAuthentication() {
		return undefined;
	}
	async getCredentials(): Promise<ICredentials> {
		throw new Error('not needed');
	}
	async updateCredentials() {}
	async updateCredentialsOauthTokenData() {}
	getCredentialsProperties(type: string): INodeProperties[] {
		return this.types[type]?.properties ?? [];
	}
}
