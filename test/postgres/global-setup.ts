import type { TestProject } from 'vitest/node'
import { startPostgres } from './server.ts'
import { makeTemplate } from './spare-schemas.ts'

declare module 'vitest' {
  interface ProvidedContext {
    postgresUrl: string
  }
}

/** One server for the whole run, a database for each worker; each test file makes schemas of its own. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const server = await startPostgres()
  await makeTemplate(server.url)
  project.provide('postgresUrl', server.url)
  return () => server.stop()
}
