/**
 * Half of what a number can hold, so that as many can follow. No counter reaches such a number by itself. A
 * higher one was imported from a wrong file before files were checked. The next number after it is lower, and
 * so a different one.
 */
export const MAX_FLOOR = 2 ** 52

/**
 * A process may remember something by name and number. What comes in namespace `?1` under an erased name must
 * not be taken for what had the name before. So epochs begin with this number, and versions and tokens begin
 * above it. It is the highest number of anything that was erased, or 0.
 */
export const FLOOR = `(SELECT coalesce(max(highest), 0) FROM erasures WHERE namespace = ?1 AND highest <= ${MAX_FLOOR})`
