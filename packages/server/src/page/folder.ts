import { fileURLToPath } from 'node:url'

/**
 * The folder into which the build puts the page. For the built package it is beside the package's modules;
 * for the sources it is in `dist` of the repository.
 */
export const BUILT_PAGE = fileURLToPath(
  import.meta.url.endsWith('.ts')
    ? new URL('../../../../dist/inspector/', import.meta.url)
    : new URL('../inspector/', import.meta.url),
)
