// The address of another of our packages, beside the library whose entry is given: of a build or of the sources.
export function packageBeside(library: string, name: string): string {
  const path = library.endsWith('.ts')
    ? `../../${name}/src/index.ts`
    : `../../@palimpsest/${name}/dist/index.js`
  return new URL(path, library).href
}
