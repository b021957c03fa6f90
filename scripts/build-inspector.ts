import { existsSync, globSync, renameSync, rmSync, statSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { build } from 'vite'

const root = dirname(import.meta.dirname)
const source = join(root, 'packages/inspector/src')

/**
 * Makes the page, into `dist/inspector` or the folder that is named. It is made beside that and takes its place as a
 * whole, so that neither a server nor the next start finds half of it, whenever this one ends.
 */
export async function buildInspector(target = join(root, 'dist/inspector')): Promise<void> {
  const folder = resolve(target)
  const made = `${folder}.${process.pid}`
  try {
    await build({
      root: source,
      configFile: false,
      envDir: false,
      logLevel: 'warn',
      base: './',
      oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
      build: {
        outDir: made,
        emptyOutDir: true,
        target: 'es2022',
        // Nothing inline: the page's content security policy allows none of it.
        assetsInlineLimit: 0,
        modulePreload: { polyfill: false },
        reportCompressedSize: false,
      },
    })
    rmSync(folder, { recursive: true, force: true })
    renameSync(made, folder)
  } finally {
    rmSync(made, { recursive: true, force: true })
  }
}

/** The same, unless it is there and newer than all that it is made of. */
export async function buildInspectorIfNeeded(): Promise<void> {
  const built = join(root, 'dist/inspector/index.html')
  const sources = [
    import.meta.filename,
    join(root, 'package-lock.json'),
    ...globSync('**/*', { cwd: source }).map(file => join(source, file)),
  ]
  const changedAt = Math.max(...sources.map(file => statSync(file).mtimeMs))
  if (!existsSync(built) || statSync(built).mtimeMs < changedAt) await buildInspector()
}

if (process.argv[1] === import.meta.filename) await buildInspector(process.argv[2])
