import { describe, expect, test } from 'vitest'
import { PLACES, type StorePlace } from '../stores.ts'
import { type Client, openClient, talk } from './client.ts'

async function withTwo(place: StorePlace, use: (one: Client, other: Client) => Promise<void>): Promise<void> {
  try {
    await using one = await openClient(place)
    await using other = await openClient(place)
    await use(one, other)
  } finally {
    await place.remove()
  }
}

describe.for(Object.entries(PLACES))('%s: settings in every process', ([, place]) => {
  test('a change is in force for the next message, wherever it is sent', () =>
    withTwo(place(), async (one, other) => {
      const decisionOf = async (client: Client, chat: string) =>
        (await client.call('POST', `/v1/sessions/${chat}/messages`, { messages: talk(5) })).json.decision
          ?.reason
      expect(await decisionOf(other, 'before')).toBeUndefined()
      for (const [round, [changing, asking]] of [
        [one, other],
        [other, one],
      ].entries()) {
        await changing!.call('PUT', '/v1/settings', { policy: 'count', threshold: 4, keepLast: 2 })
        expect(await decisionOf(asking!, `strict ${round}`)).toBe('count')
        await changing!.call('PUT', '/v1/settings', { threshold: 40 })
        expect(await decisionOf(asking!, `lax ${round}`)).toBeUndefined()
        const { json } = await asking!.call('GET', '/v1/settings')
        expect([json.settings.threshold, json.sources.threshold]).toEqual([40, 'stored'])
      }
    }))

  test('of two who read the same and write with If-Match one is told to read again', () =>
    withTwo(place(), async (one, other) => {
      const read = await one.call('GET', '/v1/settings')
      const tag = read.headers.get('etag')!
      expect((await other.call('GET', '/v1/settings')).headers.get('etag')).toBe(tag)
      const known = await one.call('GET', '/v1/settings', undefined, { 'if-none-match': tag })
      expect([known.status, known.json]).toEqual([304, null])
      const put = (client: Client, threshold: number) =>
        client.call('PUT', '/v1/settings', { threshold }, { 'if-match': tag })
      const written = await put(one, 30)
      expect(written.status).toBe(200)
      const late = await put(other, 31)
      expect([late.status, late.json.error.code]).toEqual([412, 'settings_conflict'])
      const now = await other.call('GET', '/v1/settings')
      expect([now.json.settings.threshold, now.headers.get('etag')]).toEqual([
        30,
        written.headers.get('etag'),
      ])
      const any = await other.call('PUT', '/v1/settings', { threshold: 32 }, { 'if-match': '*' })
      expect(any.status).toBe(200)
      const odd = await other.call('PUT', '/v1/settings', { threshold: 33 }, { 'if-match': 'odd' })
      expect(odd.status).toBe(422)
    }))

  test('many who change and ask at once leave everybody with the same', () =>
    withTwo(place(), async (one, other) => {
      await Promise.all(
        Array.from({ length: 20 }, (_, index) => {
          const client = index % 2 ? one : other
          return index % 4 < 2
            ? client.call('PUT', '/v1/settings', { threshold: 100 + index })
            : client.call('GET', '/v1/settings')
        }),
      )
      const [here, there] = [await one.call('GET', '/v1/settings'), await other.call('GET', '/v1/settings')]
      expect(here.json).toEqual(there.json)
      expect(here.headers.get('etag')).toBe(there.headers.get('etag'))
    }))
})
