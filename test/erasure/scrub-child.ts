/**
 * Scrubs a database, and says when it begins and how it ended.
 * Arguments: the database's file.
 */
import { writeSync } from 'node:fs'
import { SqliteDriver } from '../../packages/palimpsest/src/store/sqlite/driver.ts'

const [file] = process.argv.slice(2) as [string]

const driver = new SqliteDriver(file, {})
await driver.open()
const isClean = await driver.scrub(({ bytes }) => writeSync(1, `begun ${bytes}\n`))
writeSync(1, `ended ${isClean}\n`)
await driver.close()
