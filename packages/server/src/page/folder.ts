import { fileURLToPath } from 'node:url'

/** Where the build puts the page: beside the modules of the package; from source, into the folder that `npm run build` makes. */
export const BUILT_PAGE = fileURLToPath(
  import.meta.url.endsWith('.ts')
    ? new URL('../../../../dist/inspector/', import.meta.url)
    : new URL('../../../inspector/src/', import.meta.url),
)
