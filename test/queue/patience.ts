// Five programs are started one after the other, and n8n takes 45 s to notice that a worker was killed.
jest.setTimeout(1_800_000);
