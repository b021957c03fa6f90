import fc from 'fast-check'
import { expect, it } from 'vitest'
import { deltaBack, goBack } from './text-delta.ts'

it('leads back from any text to any other', () => {
  const text = fc.array(fc.constantFrom('a', 'b', '\n', '- x\n', '😀', '\ud83d', '\0', '中'), {
    maxLength: 12,
  })
  fc.assert(
    fc.property(text, text, (one, other) => {
      const [earlier, later] = [one.join(''), other.join('')]
      expect(goBack(later, JSON.parse(JSON.stringify(deltaBack(earlier, later))))).toBe(earlier)
    }),
  )
})

it('takes no more than what changed', () => {
  const before = `# Notes\n${'- a line\n'.repeat(100)}`
  expect(JSON.stringify(deltaBack(before, `${before}- one more\n`))).toHaveLength(10)
})
