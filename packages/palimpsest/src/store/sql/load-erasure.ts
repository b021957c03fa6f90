/** Loaded late, because few programs erase anything, and it needs all the search code. */
export const loadErasure = () => import('./erasure.ts')
