import forge from 'node-forge';

export interface Certificate {
	key: string;
	/** PEM. */
	cert: string;
}

export interface Authority extends Certificate {
	issue(options?: { host?: string; expired?: boolean }): Certificate;
}

const DAY = 86_400_000;

/** A certificate authority made for one run; nothing trusts it but who is given its PEM. */
export function createAuthority(): Authority {
	const pair = forge.pki.rsa.generateKeyPair(2048);
	const name = [{ name: 'commonName', value: 'Reference service CA' }];
	const own = certificate(name, name, pair.publicKey, [-DAY, 30 * DAY]);
	own.setExtensions([
		{ name: 'basicConstraints', cA: true, critical: true },
		{ name: 'keyUsage', keyCertSign: true, cRLSign: true, critical: true },
		{ name: 'subjectKeyIdentifier' },
	]);
	own.sign(pair.privateKey, forge.md.sha256.create());
	return {
		key: forge.pki.privateKeyToPem(pair.privateKey),
		cert: forge.pki.certificateToPem(own),
		issue({ host = 'localhost', expired = false } = {}) {
			const period: [number, number] = expired ? [-3 * DAY, -DAY] : [-DAY, 7 * DAY];
			const subject = [{ name: 'commonName', value: host }];
			// one key pair for all: making one takes long, and nothing here depends on it
			const leaf = certificate(subject, name, pair.publicKey, period);
			leaf.setExtensions([
				{ name: 'basicConstraints', cA: false },
				{ name: 'extKeyUsage', serverAuth: true },
				{ name: 'subjectAltName', altNames: altNames(host) },
			]);
			leaf.sign(pair.privateKey, forge.md.sha256.create());
			return {
				key: forge.pki.privateKeyToPem(pair.privateKey),
				cert: forge.pki.certificateToPem(leaf),
			};
		},
	};
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
	publicKey: forge.pki.PublicKey,
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
