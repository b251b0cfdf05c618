import { generateKeyPairSync, sign } from 'node:crypto';

import forge from 'node-forge';

export interface Certificate {
	key: string;
	/** PEM. */
	cert: string;
}

export interface Authority extends Certificate {
	/** A certificate for `localhost`. */
	issue(): Certificate;
}

interface Keys {
	publicKey: forge.pki.PublicKey;
	/** PEM. */
	privateKey: string;
}

const DAY = 86_400_000;
const LOCALHOST = [{ name: 'commonName', value: 'localhost' }];

/** A certificate authority made for one run; nothing trusts it but who is given its PEM. */
export function createAuthority(): Authority {
	const keys = newKeys();
	const name = [{ name: 'commonName', value: 'Reference service CA' }];
	const own = certificate(name, name, keys, [-DAY, 30 * DAY]);
	own.setExtensions([
		{ name: 'basicConstraints', cA: true, critical: true },
		{ name: 'keyUsage', keyCertSign: true, cRLSign: true, critical: true },
		{ name: 'subjectKeyIdentifier' },
	]);
	return {
		...signed(own, keys),
		// one key pair for both: nothing here depends on it
		issue: () => leaf(name, keys),
	};
}

/** A certificate for `localhost` that its own key has signed. */
export function selfSigned(): Certificate {
	return leaf(LOCALHOST, newKeys());
}

/** Made by Node: forge, all JavaScript, takes seconds for it under jest; so too for a signature. */
function newKeys(): Keys {
	const { privateKey, publicKey } = generateKeyPairSync('rsa', {
		modulusLength: 2048,
		privateKeyEncoding: { type: 'pkcs1', format: 'pem' },
		publicKeyEncoding: { type: 'spki', format: 'pem' },
	});
	return { privateKey, publicKey: forge.pki.publicKeyFromPem(publicKey) };
}

function leaf(issuer: forge.pki.CertificateField[], keys: Keys): Certificate {
	const result = certificate(LOCALHOST, issuer, keys, [-DAY, 7 * DAY]);
	result.setExtensions([
		{ name: 'basicConstraints', cA: false },
		{ name: 'extKeyUsage', serverAuth: true },
		{
			name: 'subjectAltName',
			// types 2 and 7 of RFC 5280: a DNS name, an address
			altNames: [
				{ type: 2, value: 'localhost' },
				{ type: 7, ip: '127.0.0.1' },
			],
		},
	]);
	return signed(result, keys);
}

function signed(result: forge.pki.Certificate, { privateKey }: Keys): Certificate {
	const signer = {
		sign: () => {
			const content = forge.asn1.toDer(result.tbsCertificate as forge.asn1.Asn1).getBytes();
			return sign('sha256', Buffer.from(content, 'latin1'), privateKey).toString('latin1');
		},
	};
	result.sign(signer as unknown as forge.pki.rsa.PrivateKey, forge.md.sha256.create());
	return { key: privateKey, cert: forge.pki.certificateToPem(result) };
}

let serial = 0;

function certificate(
	subject: forge.pki.CertificateField[],
	issuer: forge.pki.CertificateField[],
	{ publicKey }: Keys,
	[from, to]: [number, number],
) {
	const result = forge.pki.createCertificate();
	result.publicKey = publicKey;
	result.serialNumber = `01${(++serial).toString(16).padStart(6, '0')}`;
	// the real clock: whoever checks the certificate has no other
	result.validity.notBefore = new Date(Date.now() + from);
	result.validity.notAfter = new Date(Date.now() + to);
	result.setSubject(subject);
	result.setIssuer(issuer);
	return result;
}
