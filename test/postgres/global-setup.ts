import pg from 'pg'
import type { TestProject } from 'vitest/node'
import { startPostgres } from './server.ts'
import { databaseOf } from './url.ts'

declare module 'vitest' {
  interface ProvidedContext {
    postgresUrl: string
  }
}

/** One server for the whole run, a database for each worker; each test file makes a schema of its own. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const server = await startPostgres()
  await makeDatabases(server.url, project.vitest.config.maxWorkers)
  project.provide('postgresUrl', server.url)
  return () => server.stop()
}

async function makeDatabases(url: string, count: number): Promise<void> {
  const client = new pg.Client(url)
  await client.connect()
  for (let worker = 1; worker <= count; worker++) await client.query(`CREATE DATABASE ${databaseOf(worker)}`)
  await client.end()
}
