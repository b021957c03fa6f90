import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { EXCEPTIONS } from './exceptions.ts'
import { FUNCTIONS } from './functions.ts'
import { describeGrowth, tooMuchGrowth } from './growth.ts'
import { type Pattern, PIECES, seeded } from './patterns.ts'

const SOURCES = join(import.meta.dirname, '../../packages/palimpsest/src')

/** What was quadratic once, and a few that are drawn for each function; `node test/linear/run.ts` tries all of them. */
const KNOWN: readonly Pattern[] = [
  { pieces: ['…'], end: 'x' },
  { pieces: ['.'], end: 'x' },
  { pieces: [','], end: '' },
  { pieces: ['- a\n'], end: '' },
  { pieces: ['"'], end: 'x' },
]
const DRAWN = 8

describe('the time that a text takes grows with its length', () => {
  for (const [place, [name, call]] of Object.entries(FUNCTIONS).entries())
    test(name, { timeout: 120_000 }, () => {
      const random = seeded(place + 1)
      const piece = () => PIECES[Math.floor(random() * PIECES.length)]!
      const drawn = Array.from({ length: DRAWN }, (_, number) => ({
        pieces: Array.from({ length: 1 + (number % 3) }, piece),
        end: number % 2 ? 'x' : '',
      }))
      const growths = [...KNOWN, ...drawn].map(pattern => tooMuchGrowth(call, pattern, { maxLength: 32_768 }))
      expect(growths.filter(growth => growth !== null).map(growth => describeGrowth(name, growth))).toEqual(
        [],
      )
    })
})

test('what is quadratic is seen', () => {
  const quadratic = (text: string) => {
    let sum = 0
    for (let index = 0; index < text.length; index++) sum += text.slice(index).lastIndexOf('y')
    return sum
  }
  expect(tooMuchGrowth(quadratic, { pieces: ['a'], end: '' }, { maxLength: 32_768 })).not.toBeNull()
})

/** Where texts of callers go through. */
const FOLDERS = [
  'log',
  'tokens',
  'context',
  'search',
  'summarizer',
  'memory/document',
  'memory/workspace',
  'compaction',
]
const TAKES_TEXT = /^export function\*? ?(\w+)(?:<[^(]*>)?\(\s*(\w+\??): (?:string|Content)\b/gm

test('every function that takes a text is among them, or is named as an exception with its reason', () => {
  const exported = FOLDERS.flatMap(folder => globSync(`${folder}/**/*.ts`, { cwd: SOURCES }))
    .filter(file => !file.endsWith('.test.ts'))
    .flatMap(file =>
      [...readFileSync(join(SOURCES, file), 'utf8').matchAll(TAKES_TEXT)].map(
        ([, name]) => `${file} ${name}`,
      ),
    )
  expect(exported.length).toBeGreaterThan(80)
  const known = new Set([...Object.keys(FUNCTIONS), ...Object.keys(EXCEPTIONS)])
  expect(exported.filter(name => !known.has(name))).toEqual([])
})

test('no exception is left of what is gone', () => {
  const gone = Object.keys(EXCEPTIONS).filter(name => {
    const [file, exported] = name.split(' ') as [string, string]
    return !readFileSync(join(SOURCES, file), 'utf8').includes(` ${exported}`)
  })
  expect(gone).toEqual([])
})
