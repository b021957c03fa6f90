import { execFileSync } from 'node:child_process'
import {
  chmodSync,
  cpSync,
  existsSync,
  globSync,
  mkdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { basename, dirname, isAbsolute, join, posix, relative, resolve, sep } from 'node:path'
import { type Plugin, rolldown } from 'rolldown'
import { buildInspector } from './build-inspector.ts'
import { entriesOf, PACKAGES, type Package, publishedManifest, ROOT } from './packages.ts'

/**
 * Makes `dist`, or the folder that is named: in its `node_modules` every package as it is published, so that they find
 * each other there as they do where they are installed. JavaScript in few files by the bundler
 * (docs/decisions/0015-bundled-dist.md), what is read as it is, which is the migrations and the prompts, the page, and
 * the declarations by the compiler, which checks the types.
 */
const target = resolve(process.argv[2] ?? join(ROOT, 'dist'))
process.chdir(ROOT)
rmSync(target, { recursive: true, force: true })
for (const each of PACKAGES) await build(each)
const page = join(target, 'inspector')
await buildInspector(page)
cpSync(page, join(folderOf('@palimpsest/server'), 'dist/inspector'), { recursive: true })
declare()

function folderOf(name: string): string {
  return join(target, 'node_modules', name)
}

async function build(each: Package): Promise<void> {
  const folder = folderOf(each.manifest.name)
  const dist = join(folder, 'dist')
  await bundle(each, dist)
  for (const file of globSync([...each.files], { cwd: each.source }))
    cpSync(join(each.source, file), join(dist, file))
  for (const name of ['LICENSE', 'CHANGELOG.md']) cpSync(name, join(folder, name))
  const readme = join(dirname(each.source), 'README.md')
  if (existsSync(readme)) cpSync(readme, join(folder, 'README.md'))
  else for (const name of ['README.md', 'docs']) cpSync(name, join(folder, name), { recursive: true })
  if (each.bundled.length > 0) writeFileSync(join(folder, 'LICENSES-BUNDLED.md'), licences(each))
  if (each.bin !== undefined) chmodSync(join(dist, `${each.bin}.js`), 0o755)
  writeFileSync(join(folder, 'package.json'), `${JSON.stringify(publishedManifest(each), null, 2)}\n`)
}

/** No module is in two files, so that each class is there once. Other packages stay outside. */
async function bundle(each: Package, dist: string): Promise<void> {
  const { source, bundled } = each
  const bundler = await rolldown({
    input: Object.fromEntries(entriesOf(each).map(name => [name, join(source, `${name}.ts`)])),
    platform: 'node',
    external: id => !id.startsWith('.') && !id.startsWith('\0') && !isAbsolute(id) && !bundled.includes(id),
    plugins: [filesBesideModules(source), withoutIdleRuntime()],
    // It takes `decodeURIComponent(text)` for a call without effect, and would drop one that is there to throw.
    treeshake: false,
  })
  await bundler.write({
    dir: dist,
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
        {
          name: 'pure',
          test: /palimpsest[\\/]src[\\/](log|policy|tokens|context)[\\/]index\.ts$/,
          priority: 2,
        },
        { name: 'core', test: /palimpsest[\\/]src[\\/]index\.ts$/, priority: 1 },
        { name: 'sql', test: /sql[\\/]operations\.ts$/ },
        // It asks whether it still is a file of its own.
        { name: 'adapters/langchain/peers', test: /langchain[\\/]peers\.ts$/ },
      ],
    },
  })
  await bundler.close()
}

/** `new URL('./migrations/', import.meta.url)` means the same in whatever file its module ends up. */
function filesBesideModules(source: string): Plugin {
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

/** What the licences of bundled libraries ask for. */
function licences({ bundled }: Package): string {
  const texts = bundled.map(name => {
    const folder = join(ROOT, 'node_modules', name)
    const { version } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as { version: string }
    const [file] = globSync('{license,LICENSE,licence,LICENCE}*', { cwd: folder })
    if (file === undefined) throw new Error(`${name} has no licence file, and is to be bundled.`)
    return `## ${name} ${version}\n\n${readFileSync(join(folder, file), 'utf8').trim()}\n`
  })
  return `# Libraries that are part of this package\n\n${texts.join('\n')}`
}

/** One run for all packages: they read each other's sources. */
function declare(): void {
  const declarations = join(target, 'declarations')
  const compiler = 'node_modules/typescript/bin/tsc'
  execFileSync(process.execPath, [compiler, '-p', 'tsconfig.build.json', '--outDir', declarations], {
    stdio: 'inherit',
  })
  for (const { manifest, source } of PACKAGES) {
    const made = join(declarations, basename(dirname(source)), 'src')
    const dist = join(folderOf(manifest.name), 'dist')
    mkdirSync(dist, { recursive: true })
    cpSync(made, dist, { recursive: true })
  }
  rmSync(declarations, { recursive: true })
}
