/**
 * Half of what a number can hold, so that as many can follow. Nothing comes to such a number by itself: one above it was
 * imported from a wrong file before files were checked, and whatever comes next is lower, and so another one.
 */
export const MAX_FLOOR = 2 ** 52

/**
 * What comes in namespace `?1` under a name that was erased must not be taken for what bore it before, by anybody in
 * any process who remembers that by name and number. So epochs begin with this number, and versions and tokens above
 * it: it is 0, or the highest that anything had which an erasure took away.
 */
export const FLOOR = `(SELECT coalesce(max(highest), 0) FROM erasures WHERE namespace = ?1 AND highest <= ${MAX_FLOOR})`
