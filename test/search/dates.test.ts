import { describe, expect, test } from 'vitest'
import { sqlitePlace } from '../stores.ts'
import { open, say, seqs } from './search-kit.ts'

describe('dates', () => {
  test('alone, they find all that was said then, indexed or not', async () => {
    const palimpsest = await open()
    const chat = palimpsest.session('chat')
    await chat.append([
      say('The harbour is calm.', '2026-05-10T09:00Z'),
      say('So is the lake.', '2026-05-10T10:00Z'),
      say('Nothing to see.', '2026-08-01T10:00Z'),
      say('…', '2026-08-01T11:00Z'),
    ])
    for (const isIndexed of [false, true]) {
      if (isIndexed) await palimpsest.settled()
      for (const query of ['2026-05-10', '10 May 2026', 'May 10', '5月10日'])
        expect(await seqs(chat, query), `${query}, ${isIndexed}`).toEqual([1, 2])
      expect((await palimpsest.search('2026-05-10')).results).toHaveLength(2)
    }
  })

  test('without a year they are meant in every year, also where times are out of order', async () => {
    const palimpsest = await open()
    const chat = palimpsest.session('chat')
    await chat.append([
      say('In the year one.', '0001-05-10T09:00Z'),
      say('Lately.', '2026-05-10T09:00Z'),
      say('Then something older.', '2024-01-01T09:00Z'),
    ])
    await palimpsest.settled()
    expect(await seqs(chat, 'May 10')).toEqual([1, 2])
  })

  test('are days in the zone of the instance', async () => {
    const chat = (await open(sqlitePlace(), { zone: 'Asia/Shanghai' })).session('chat')
    await chat.append([say('早上好', '2026-05-10T07:00:00+08:00'), say('晚安', '2026-05-12T23:00:00+08:00')])
    expect((await chat.search('2026-05-10')).results[0]?.seq).toBe(1)
    expect(await seqs(chat, '早上', { after: '2026-05-10', before: '2026-05-11' })).toEqual([1])
  })

  test('thousands of years away are still in order', async () => {
    const palimpsest = await open()
    const chat = palimpsest.session('chat')
    await chat.append([say('far away', '9999-05-10T00:00Z'), say('near by', '2026-05-10T00:00Z')])
    for (const isIndexed of [false, true]) {
      if (isIndexed) await palimpsest.settled()
      expect(await seqs(chat, 'far', { after: '2026-01-01' })).toEqual([1])
      expect(await seqs(chat, 'far', { before: '1900-01-01' })).toEqual([])
    }
  })
})
