import { getAdditionalKeys } from 'n8n-core';
import {
	ICredentialsHelper,
	NodeHelpers,
	Workflow,
	type ICredentialDataDecryptedObject,
	type ICredentials,
	type ICredentialType,
	type IExecuteData,
	type ICredentialsExpressionResolveValues,
	type IHttpRequestOptions,
	type INode,
	type INodeCredentialsDetails,
	type INodeParameters,
	type INodeProperties,
	type INodeTypes,
	type IRequestOptionsSimplified,
	type IWorkflowExecuteAdditionalData,
	type WorkflowExecuteMode,
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
		additionalData: IWorkflowExecuteAdditionalData,
		{ id }: INodeCredentialsDetails,
		type: string,
		mode: WorkflowExecuteMode,
		executeData?: IExecuteData,
		raw?: boolean,
		values?: ICredentialsExpressionResolveValues,
	) {
		this.read++;
		const found = this.secrets[id ?? ''] ?? this.secrets[type];
		if (!found) throw new Error(`no test credential ${type}`);
		if (raw) return found;
		const filled = withDefaults(this.getCredentialsProperties(type), found);
		const keys = getAdditionalKeys(additionalData, mode, null, { isCredential: true });
		if (!values) return resolveWithoutItem(this.getCredentialsProperties(type), filled, keys, mode);
		const { workflow, runExecutionData, runIndex, itemIndex, node, connectionInputData } = values;
		return workflow.expression.getParameterValue(
			filled as INodeParameters,
			runExecutionData,
			runIndex,
			itemIndex,
			node.name,
			connectionInputData,
			mode,
			keys,
			executeData,
			false,
			filled as INodeParameters,
		) as ICredentialDataDecryptedObject;
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

/** A credential as n8n reads it from its database: with the defaults of the fields that are shown. */
export function withDefaults(
	properties: INodeProperties[],
	secrets: ICredentialDataDecryptedObject,
): ICredentialDataDecryptedObject {
	const stored = secrets as INodeParameters;
	const filled = NodeHelpers.getNodeParameters(properties, stored, true, false, null, null);
	// fields of n8n's own
	return { ...secrets, ...filled } as ICredentialDataDecryptedObject;
}

type Keys = ReturnType<typeof getAdditionalKeys>;

/** As n8n 2.41.1, credentials-helper.js, resolveCredentialExpressions: where an expression finds no item, its field may be left out. */
export function resolveWithoutItem(
	properties: INodeProperties[],
	data: ICredentialDataDecryptedObject,
	keys: Keys = {},
	mode: WorkflowExecuteMode = 'internal',
): ICredentialDataDecryptedObject {
	const { expression } = new Workflow({
		nodes: [MOCK_NODE],
		connections: {},
		active: false,
		nodeTypes: NO_TYPES,
	});
	const resolve = (fields: INodeParameters) =>
		expression.getComplexParameterValue(
			MOCK_NODE,
			fields,
			mode,
			keys,
			undefined,
			undefined,
			data as INodeParameters,
		) as ICredentialDataDecryptedObject;
	const mayBeLeftOut = (name: string) =>
		properties.some(
			(one) => one.name === name && one.typeOptions?.ignoreCredentialExpressionResolveError,
		);
	const resolved: ICredentialDataDecryptedObject = {};
	for (const [name, value] of Object.entries(data) as Array<[string, INodeParameters[string]]>) {
		try {
			Object.assign(resolved, resolve({ [name]: value }));
		} catch (error) {
			if (!mayBeLeftOut(name)) throw error;
		}
	}
	return resolved;
}

const MOCK_NODE: INode = {
	id: '',
	name: '',
	typeVersion: 1,
	type: 'mock',
	position: [0, 0],
	parameters: {},
};
const NO_TYPES = {
	getByName: () => undefined,
	getByNameAndVersion: () => ({ description: { properties: [] } }),
	getKnownTypes: () => ({}),
} as unknown as INodeTypes;
