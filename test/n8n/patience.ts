// A boot takes about 8 s on a quiet machine and several times that on a busy one.
jest.setTimeout(180_000);
