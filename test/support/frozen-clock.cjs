// Preloaded into a child process: its system clock stands still, so that what it prints can be foretold.
const frozen = Date.parse(process.env.VAGENT_TEST_CLOCK);
Date.now = () => frozen;
