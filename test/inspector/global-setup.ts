import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestProject } from 'vitest/node'
import { buildInspector } from '../../scripts/build-inspector.ts'

declare module 'vitest' {
  interface ProvidedContext {
    /** The folder of the built page. */
    inspectorPage: string
  }
}

/** Built once for the whole run, in a place of its own: others may build `dist` meanwhile. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const folder = await mkdtemp(join(tmpdir(), 'palimpsest-inspector-'))
  await buildInspector(folder)
  project.provide('inspectorPage', folder)
  return () => rm(folder, { recursive: true, force: true })
}
