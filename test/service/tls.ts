import { generateKeyPairSync, sign } from 'node:crypto';

import forge from 'node-forge';

export interface Certificate {
	key: string;
	/** PEM. */
	cert: string;
}

export interface Authority extends Certificate {
	issue(options?: { host?: string; expired?: boolean }): Certificate;
}

interface Keys {
	publicKey: forge.pki.PublicKey;
	/** PEM. */
	privateKey: string;
}

const DAY = 86_400_000;

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
		issue({ host = 'localhost', expired = false } = {}) {
			const period: [number, number] = expired ? [-3 * DAY, -DAY] : [-DAY, 7 * DAY];
			// one key pair for all: nothing here depends on it
			return leaf(host, name, keys, period);
		},
	};
}

/** A certificate for `localhost` that its own key has signed. */
export function selfSigned(): Certificate {
	const name = [{ name: 'commonName', value: 'localhost' }];
	return leaf('localhost', name, newKeys(), [-DAY, 7 * DAY]);
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

function leaf(
	host: string,
	issuer: forge.pki.CertificateField[],
	keys: Keys,
	period: [number, number],
): Certificate {
	const subject = [{ name: 'commonName', value: host }];
	const result = certificate(subject, issuer, keys, period);
	result.setExtensions([
		{ name: 'basicConstraints', cA: false },
		{ name: 'extKeyUsage', serverAuth: true },
		{ name: 'subjectAltName', altNames: altNames(host) },
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

// types 2 and 7 of RFC 5280: a DNS name, an address
const altNames = (host: string) =>
	host === 'localhost'
		? [
				{ type: 2, value: host },
				{ type: 7, ip: '127.0.0.1' },
			]
		: [{ type: 2, value: host }];

let serial = 0;

function certificate(
	subject: forge.pki.CertificateField[],
	issuer: forge.pki.CertificateField[],
	{ publicKey }: Keys,
	[from, to]: [number, number],
): forge.pki.Certificate {
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
