/** The schema of our tables by default. */
export const DEFAULT_SCHEMA = 'palimpsest'
