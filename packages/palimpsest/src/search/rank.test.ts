import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { runAtOnce } from '../slices.ts'
import { collectionOf } from './collection.ts'
import { conversationOf } from './conversation.ts'
import { indexMessages } from './index-messages.ts'
import { refine } from './phrases.ts'
import { parseQuery } from './query.ts'
import { type RankOptions, rank } from './rank.ts'

const START = Date.parse('2023-05-08T12:00:00Z') / 60_000

/** Messages a minute apart, `speaker: text`, or with a time of their own. */
function talk(...lines: (string | [minutes: number, line: string])[]) {
  return lines.map((line, place) => {
    const [minutes, said] = typeof line === 'string' ? [place, line] : line
    const [, speaker = '', text = said] = /^(\w+): (.*)$/s.exec(said) ?? []
    return { seq: place + 1, speaker, text, minutes: START + minutes }
  })
}

function found(
  messages: ReturnType<typeof talk>,
  text: string,
  options: Partial<RankOptions> = {},
): number[] {
  const query = parseQuery(text)
  return rank(query, indexMessages(messages)(query.terms), { limit: 10, ...options }).map(({ seq }) => seq)
}

const filler = Array.from({ length: 20 }, (_, place) => `so it goes ${place}`)

describe('what counts', () => {
  test('rare words more than common ones, and more of them', () => {
    const messages = talk(...filler, 'we bought a piano', ...filler, 'we sold it', ...filler)
    expect(found(messages, 'who bought the piano there?')[0]).toBe(21)
  })

  test('the answer next to its question, before what stands further off', () => {
    const messages = talk(...filler, 'Ann: where is the piano?', 'Bob: in the cellar', ...filler)
    expect(found(messages, 'where does the piano stand?').slice(0, 2).toSorted()).toEqual([21, 22])
  })

  test('no neighbour across a long silence', () => {
    const messages = talk('the piano', [1_000, 'in the cellar'])
    expect(found(messages, 'piano')).toEqual([1])
    expect(found(talk('the piano', 'in the cellar'), 'piano')).toEqual([1, 2])
  })

  test('keywords themselves before their neighbours', () => {
    const long = `piano ${'and so on '.repeat(30)}`
    expect(
      found(talk('piano', 'yes', 'piano', ...filler, long), 'piano')
        .slice(0, 3)
        .toSorted(),
    ).toEqual([1, 24, 3])
  })

  test('the speaker who is named', () => {
    const messages = talk('Ann: I like tea a lot', [500, 'Bob: I like tea a lot'], [900, 'Cid: hm'])
    expect(found(messages, 'What does Ann like?')[0]).toBe(1)
    expect(found(messages, 'What does Bob like?')[0]).toBe(2)
  })

  test('the date that is named', () => {
    const messages = talk('tea', [60 * 24 * 40, 'tea'], [60 * 24 * 80, 'tea'])
    expect(found(messages, 'tea')).toEqual([3, 2, 1])
    expect(found(messages, 'tea in May 2023')[0]).toBe(1)
    expect(found(messages, 'tea on 17 June')[0]).toBe(2)
    expect(found(messages, '2023-06-17')).toEqual([2])
  })

  test('hidden messages part no neighbours and are no results', () => {
    const messages = talk('the piano', '', 'in the cellar')
    expect(found(messages, 'piano')).toEqual([1, 3])
    const query = parseQuery('piano')
    const index = indexMessages(messages)(query.terms)
    index.lengths[1] = 0
    expect(rank(query, index, { limit: 10 })).toEqual([])
  })

  test('quoted words are required of the message itself', () => {
    const messages = talk('support group', 'a group', 'support', 'group support')
    expect(found(messages, '"support group"').toSorted()).toEqual([1, 4])
    expect(found(messages, '"support zebra" group')).toEqual([])
  })
})

test.each(['', '?', '"', '…'])('%j finds nothing', query => {
  expect(found(talk('anything'), query)).toEqual([])
})

test('an empty session is searched', () => {
  expect(found([], 'anything 京 in May')).toEqual([])
})

test('scores of several sessions compare', () => {
  const query = parseQuery('piano lesson')
  const [one, other] = [
    talk('piano', 'piano', 'piano lesson'),
    talk('tea', 'lesson', 'tea', 'piano lesson'),
  ].map(messages => indexMessages(messages)(query.terms))
  const collection = collectionOf(query, [one!, other!])
  expect(collection).toMatchObject({ messages: 7, dated: 0 })
  expect(collection.frequencies.get('lesson')).toBe(3)
  expect(rank(query, one!, { limit: 1, collection })[0]?.score).not.toBe(
    rank(query, one!, { limit: 1 })[0]?.score,
  )
})

const word = fc.oneof(
  fc.constantFrom(
    'piano',
    'tea',
    'Ann',
    'lesson',
    '北京',
    '京',
    '京城大学',
    'in May 2023',
    '👍',
    'v1.2',
    '?',
    'the',
  ),
  fc.string({ unit: 'grapheme', maxLength: 6 }),
)
const text = fc.array(word, { maxLength: 6 }).map(words => words.join(' '))
const conversation = fc
  .array(
    fc.record({
      text,
      speaker: fc.constantFrom('', 'Ann', 'Bob', 'Cid 京'),
      gap: fc.constantFrom(0, 1, 500),
    }),
    {
      maxLength: 40,
    },
  )
  .map(messages => {
    let minutes = START
    return messages.map(({ gap, ...message }, place) => {
      minutes += gap
      return { ...message, seq: place + 1, minutes }
    })
  })

test('the order is that of the scores, the same every time, within the limit and among the accepted', () => {
  fc.assert(
    fc.property(conversation, text, fc.nat(12), (messages, asked, limit) => {
      const query = parseQuery(asked)
      const index = indexMessages(messages)(query.terms)
      const all = rank(query, index, { limit: 1_000 })
      const ordered = all.toSorted((one, other) => other.score - one.score || other.seq - one.seq)
      expect(all).toEqual(ordered)
      expect(all.every(({ score }) => score > 0 && Number.isFinite(score))).toBe(true)
      expect(rank(query, index, { limit })).toEqual(all.slice(0, limit))
      expect(rank(query, index, { limit, conversation: conversationOf(index) })).toEqual(all.slice(0, limit))
      expect(rank(query, index, { limit, collection: collectionOf(query, [index]) })).toEqual(
        all.slice(0, limit),
      )
      const accepts = (seq: number) => seq % 3 === 1
      expect(rank(query, index, { limit, accepts })).toEqual(
        all.filter(({ seq }) => accepts(seq)).slice(0, limit),
      )
    }),
  )
})

test('a ranking inside a ranking disturbs neither', () => {
  const messages = talk('tea', 'tea and piano', 'piano')
  const inner = () => found(messages, 'piano')
  const expected = inner()
  const outer = found(messages, 'tea', {
    accepts: () => {
      expect(inner()).toEqual(expected)
      return true
    },
  })
  expect(outer).toEqual(found(messages, 'tea'))
})

describe('everything is found', () => {
  const han = fc.string({ unit: fc.constantFrom('北', '京', '大', '学', '𠀀', 'ー', '한'), minLength: 1 })

  test('every piece of a text without spaces', () => {
    fc.assert(
      fc.property(han, fc.nat(), fc.nat(), text, (run, one, other, rest) => {
        const letters = [...run]
        const [from, to] = [one % letters.length, other % letters.length].toSorted((a, b) => a - b)
        const piece = letters.slice(from, to! + 1).join('')
        const messages = talk([0, 'something else'], [1_000, `${rest}${run}${rest}`], [2_000, 'and else'])
        expect(found(messages, piece)).toContain(2)
        expect(found(messages, `"${piece}"`)).toContain(2)
      }),
    )
  })

  test('every word of a text', () => {
    fc.assert(
      fc.property(text, asked => {
        for (const part of asked.split(/\s+/)) {
          if (parseQuery(part).terms.length === 0) continue
          expect(found(talk(asked), part)).toEqual([1])
        }
      }),
    )
  })

  test('every text that holds a phrase', () => {
    fc.assert(
      fc.property(text, text, text, (before, phrase, after) => {
        const query = parseQuery(`"${phrase.replaceAll(/["“”„«»「」『』]/g, '')}"`)
        const message = `${before} ${phrase} ${after}`
        if (query.phrases.length === 0) return
        if (runAtOnce(refine([{ seq: 1, score: 1 }], () => message, query)).length === 0) return
        const index = indexMessages([{ seq: 1, text: message, speaker: '', minutes: START }])(query.terms)
        expect(rank(query, index, { limit: 1 })).toHaveLength(1)
      }),
    )
  })
})
