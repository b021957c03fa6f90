import { join } from 'node:path'
import { buildInto } from '../built-once.ts'

/** Makes `dist`, as it is published. */
export default function setup(): void {
  buildInto(join(import.meta.dirname, '../../dist'))
}
