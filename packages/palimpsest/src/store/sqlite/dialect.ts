import type { Dialect } from '../sql/driver.ts'
import { ONE_WRITER } from '../sql/one-writer.ts'
import { octetsOfText } from './texts-apart.ts'

export const SQLITE_DIALECT: Dialect = {
  ...ONE_WRITER,
  checksTails: true,
  keepsRoomOfRows: true,
  nameContains: parameter => `instr(lower(name), ${parameter}) > 0`,
  octetsOfText,
}
