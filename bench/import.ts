import { join } from 'node:path'
import { PACKAGES, publishedManifest } from '../scripts/packages.ts'
import type { Benchmark, Figure } from './benchmark.ts'
import { compileLibrary } from './compile.ts'
import { interleave, median } from './measure.ts'
import { type Run, runNode } from './run-node.ts'

const IMPORT = join(import.meta.dirname, 'children/import.js')
/** As in `start`: not even the loader of modules is needed for it. */
const BARE = [
  '-e',
  'const { user, system } = process.cpuUsage(); require("node:fs").writeSync(1, String(user + system))',
]

/**
 * What `import 'palimpsest'` adds to a Node that does nothing. A program that is a module pays for the loader of
 * modules anyway: what is added to an empty one is told beside it, and that is what is told of the subpaths.
 */
export const importing: Benchmark = {
  name: 'import',
  async run({ quick, fixtures, progress }) {
    progress('import: building the library')
    const library = compileLibrary(fixtures.folder)
    const core = await importCost(library, quick ? 5 : 31, progress)
    const figures: Figure[] = [
      { name: 'palimpsest, over bare Node', value: core.overBare.ms, unit: 'ms', aim: { atMost: 30 } },
      { name: 'palimpsest, over bare Node, processor', value: core.overBare.processorMs, unit: 'ms' },
      { name: 'palimpsest, over an empty module', value: core.overEmpty.ms, unit: 'ms' },
      { name: 'palimpsest, over an empty module, processor', value: core.overEmpty.processorMs, unit: 'ms' },
      { name: 'bare Node', value: core.bareMs, unit: 'ms' },
    ]
    for (const [subpath, file] of subpaths()) {
      const { overEmpty } = await importCost(new URL(`../${file}`, library).href, quick ? 3 : 9, progress)
      const name = `palimpsest${subpath.slice(1)}, over an empty module, processor`
      figures.push({ name, value: overEmpty.processorMs, unit: 'ms' })
    }
    return { figures }
  },
}

async function importCost(module: string, rounds: number, progress: (message: string) => void) {
  progress(`import: ${module.slice(module.indexOf('/dist/') + 1)}`)
  const runs = await interleave(rounds, {
    ours: () => runNode([IMPORT, module]),
    empty: () => runNode([IMPORT]),
    bare: () => runNode(BARE),
  })
  return {
    overBare: difference(runs.ours, runs.bare),
    overEmpty: difference(runs.ours, runs.empty),
    bareMs: median(runs.bare.map(({ ms }) => ms)),
  }
}

/** The medians of the rounds' own differences: the sides of each were measured side by side. */
function difference(ours: readonly Run[], theirs: readonly Run[]) {
  const processorMs = ({ output }: Run) => Number(output) / 1_000
  return {
    ms: median(ours.map((run, round) => run.ms - theirs[round]!.ms)),
    processorMs: median(ours.map((run, round) => processorMs(run) - processorMs(theirs[round]!))),
  }
}

/** With the file of each. */
function subpaths(): [string, string][] {
  const { exports } = publishedManifest(PACKAGES.find(({ manifest }) => manifest.name === 'palimpsest')!)
  return Object.entries(exports as Record<string, string | { default: string }>).flatMap(
    ([subpath, entry]): [string, string][] =>
      subpath === '.' || subpath.includes('*') || typeof entry === 'string' ? [] : [[subpath, entry.default]],
  )
}
