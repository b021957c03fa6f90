import fc from 'fast-check'

/**
 * Every run of the tests tries the same random histories, so that a failure is of the change that is tested, and can
 * be repeated. `PALIMPSEST_TEST_SEED=random` looks for new ones; a number repeats those of that number.
 */
const seed = process.env['PALIMPSEST_TEST_SEED'] ?? '1'
if (seed !== 'random') fc.configureGlobal({ ...fc.readConfigureGlobal(), seed: Number(seed) })
