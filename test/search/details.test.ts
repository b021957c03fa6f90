import { expect, test } from 'vitest'
import { createPalimpsest, tokens } from '../../packages/palimpsest/src/index.ts'
import { smallTalk } from '../scenarios/small-talk.ts'
import { sqlitePlace } from '../stores.ts'

/** A hundred exact details, of twenty kinds, in English and Chinese. */
const DETAILS = Array.from({ length: 5 }, (_, n) => {
  const id = (place: number) => ((n + 1) * 7919 + place * 104_729).toString(36)
  return [
    `https://example.com/docs/${id(1)}?version=${n + 2}#part-${n}`,
    `INV-2026-${1000 + n * 37}`,
    `+49 30 90${1820 + n * 13}`,
    `DE89 3704 0044 0532 0${130 + n} 00`,
    `f3a9c2e1-77b0-4c55-9d3e-5a1b6f20c4d${n}`,
    `1,${249 + n}.95 EUR`,
    `anna.${id(2)}@example.org`,
    `v${n + 1}.14.${n * 3 + 2}`,
    `0x${id(3)}ff${n}`,
    `C:\\data\\${id(4)}\\report.xlsx`,
    `10.0.${n}.17:8${n}43`,
    `sha256:${id(5)}${id(6)}${id(7)}`,
    `room B-${n}.2${n}`,
    `flight LH${400 + n * 11}`,
    `Mrs ${['Okonkwo', 'Szczepańska', 'Nguyễn', 'Ólafsdóttir', 'O’Brien'][n]}`,
    `2031-0${n + 1}-1${n}T0${n}:30`,
    `订单号${20260 + n}号`,
    `${['青岛路', '长安街', '南京路', '中山路', '人民路'][n]}${n + 3}号院`,
    `#ticket_${id(8)}`,
    `tracking 1Z${id(9).toUpperCase()}${n}`,
  ]
}).flat()

test('after ten folds and more each of a hundred details is found word for word by one search', async () => {
  const place = sqlitePlace()
  const palimpsest = await createPalimpsest({
    store: await place.open(),
    policy: tokens({ budget: 4_000 }),
    folding: 'manual',
  })
  const chat = palimpsest.session('chat')
  const talk = smallTalk(11)
  const said = new Map<string, number>()
  let folds = 0
  for (let index = 0; index < 2_400; index++) {
    const detail = index % 20 === 10 ? DETAILS[(index - 10) / 20] : undefined
    const message =
      detail === undefined
        ? talk.next().value
        : { role: 'user' as const, content: `Please note: ${detail}, that is important.` }
    const { messages, decision } = await chat.append(message)
    if (detail !== undefined) said.set(detail, messages[0]!.seq)
    if (decision && (await chat.compact()).outcome === 'applied') folds += 1
  }
  expect(folds).toBeGreaterThan(10)
  expect(said.size).toBe(100)
  const notFirst: string[] = []
  for (const [detail, seq] of said) {
    const { results } = await chat.search(detail, { limit: 5 })
    const [best] = results
    if (best?.seq !== seq) notFirst.push(detail)
    const found = results.find(result => result.seq === seq)
    expect(found?.excerpt, detail).toContain(detail)
    const [message] = (await chat.expand({ fromSeq: seq })).messages
    expect(message?.content).toContain(detail)
  }
  expect(notFirst).toEqual([])
  await palimpsest.close()
  await place.remove()
}, 120_000)
