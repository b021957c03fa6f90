/** Where our tables live unless somebody says otherwise. */
export const DEFAULT_SCHEMA = 'palimpsest'
