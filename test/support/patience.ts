// Tells a test that hangs from one that is slow. How fast a machine is decides nothing: a boot of n8n takes 8 s on a quiet one
// and several times that on a busy one.
jest.setTimeout(900_000);
