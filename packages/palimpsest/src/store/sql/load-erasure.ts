/** Few programs erase anything, and it takes all that searching does. */
export const loadErasure = () => import('./erasure.ts')
