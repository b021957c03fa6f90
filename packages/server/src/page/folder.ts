import { fileURLToPath } from 'node:url'

/** Where the build puts the page: beside the modules of the package; for the sources, into `dist` of the repository. */
export const BUILT_PAGE = fileURLToPath(
  import.meta.url.endsWith('.ts')
    ? new URL('../../../../dist/inspector/', import.meta.url)
    : new URL('../inspector/', import.meta.url),
)
