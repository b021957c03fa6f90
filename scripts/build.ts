import { execFileSync } from 'node:child_process'
import { chmodSync, cpSync, globSync, readFileSync, rmSync } from 'node:fs'
import { dirname, isAbsolute, join, posix, relative, resolve, sep } from 'node:path'
import { type Plugin, rolldown } from 'rolldown'
import { buildInspector } from './build-inspector.ts'

/**
 * Makes `dist`, or the folder that is named, of `src`: JavaScript in few files by the bundler
 * (docs/decisions/0015-bundled-dist.md), what is read as it is, which is the migrations and the prompts, the page, and
 * the declarations by the compiler, which checks the types.
 */
const root = dirname(import.meta.dirname)
const source = join(root, 'src')
const target = resolve(process.argv[2] ?? join(root, 'dist'))
process.chdir(root)
rmSync(target, { recursive: true, force: true })
await bundle()
chmodSync(join(target, 'cli/main.js'), 0o755)
for (const file of globSync(['packages/palimpsest/src/**/migrations/*.sql', 'packages/palimpsest/src/**/prompts/*.md']))
  cpSync(file, join(target, file.slice('packages/palimpsest/src/'.length)))
await buildInspector(join(target, 'inspector'))
execFileSync(
  process.execPath,
  ['node_modules/typescript/bin/tsc', '-p', 'tsconfig.build.json', '--outDir', target],
  { stdio: 'inherit' },
)

/** No module is in two files, so that each class is there once. Packages stay outside. */
async function bundle(): Promise<void> {
  const bundler = await rolldown({
    input: Object.fromEntries(entries().map(name => [name, join(source, `${name}.ts`)])),
    platform: 'node',
    external: id => !id.startsWith('.') && !id.startsWith('\0') && !isAbsolute(id),
    plugins: [filesBesideModules(), withoutIdleRuntime()],
    // It takes `decodeURIComponent(text)` for a call without effect, and would drop one that is there to throw.
    treeshake: false,
  })
  await bundler.write({
    dir: target,
    format: 'esm',
    chunkFileNames: ({ name }) => (name.includes('/') ? '[name].js' : 'chunks/[name].js'),
    minifyInternalExports: false,
    // Unless it is told so, it looks for dead code here, too.
    minify: false,
    // They are in the declarations.
    comments: { jsdoc: false },
    codeSplitting: {
      // Each takes along what its modules import, as far as one with a higher priority does not.
      groups: [
        { name: 'pure', test: /src[\\/](log|policy|tokens|context)[\\/]index\.ts$/, priority: 2 },
        { name: 'core', test: /src[\\/]index\.ts$/, priority: 1 },
        { name: 'sql', test: /sql[\\/]operations\.ts$/ },
        // It asks whether it still is a file of its own.
        { name: 'adapters/langchain/peers', test: /langchain[\\/]peers\.ts$/ },
      ],
    },
  })
  await bundler.close()
}

/** What is loaded by its path: whatever the manifest names, threads, and the command line without a process, for tests. */
function entries(): string[] {
  const { exports, bin } = JSON.parse(readFileSync('package.json', 'utf8'))
  const exported = Object.values<string | { default: string }>(exports).flatMap(entry =>
    typeof entry === 'string' ? [] : [entry.default],
  )
  const files = [
    ...exported,
    ...Object.values<string>(bin),
    'dist/cli/program.js',
    'dist/store/sqlite/scrub-thread.js',
    'dist/store/sqlite/backup-thread.js',
    'dist/store/sqlite/long-work-thread.js',
    'dist/finding/terms-thread.js',
  ]
  return files.map(file => posix.relative('dist', file).replace(/\.js$/, ''))
}

/** `new URL('./migrations/', import.meta.url)` means the same in whatever file its module ends up. */
function filesBesideModules(): Plugin {
  const placeholder = '__target__'
  return {
    name: 'files-beside-modules',
    transform(code, id) {
      const place = `${placeholder}/${relative(source, id).split(sep).join('/')}`
      return code.replaceAll(
        /(new URL\([^()]*, )import\.meta\.url\)/g,
        (_, start: string) => `${start}new URL('${place}', import.meta.url))`,
      )
    },
    renderChunk(code, { fileName }) {
      return code.replaceAll(placeholder, posix.relative(posix.dirname(fileName), '.') || '.')
    },
  }
}

/** The bundler's own helpers are asked for by each file that has none of them, too: one more file, and `node:module`. */
function withoutIdleRuntime(): Plugin {
  return {
    name: 'without-idle-runtime',
    renderChunk: code => code.replaceAll(/^import "[./]*(?:chunks\/)?rolldown-runtime\.js";\n/gm, ''),
  }
}
