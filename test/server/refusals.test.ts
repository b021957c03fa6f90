import { afterEach, expect, test } from 'vitest'
import { startModelServer } from '../../packages/palimpsest/src/testing/index.ts'
import { type StorePlace, sqlitePlace } from '../stores.ts'
import { type Client, openClient } from './client.ts'
import { Database } from './fuzz-database.ts'

/** What is refused is refused in few words, and changes nothing. */

const places: StorePlace[] = []
afterEach(async () => {
  for (const place of places.splice(0)) await place.remove()
})

function newPlace(): StorePlace {
  const place = sqlitePlace()
  places.push(place)
  return place
}

const json = { 'content-type': 'application/json' }
const S = '/v1/sessions/s'
const message = { role: 'user', text: 'Shall we ship on Friday?' }

/** What a refusal left behind, a line for each row that was not there before. */
async function changes(place: StorePlace, refused: () => ReturnType<Client['call']>) {
  using database = new Database(place.address.replace('sqlite:', ''))
  const before = database.dump()
  const { status } = await refused()
  // A write that nobody waits for is made by then.
  await new Promise(resolve => setImmediate(() => setImmediate(resolve)))
  const changed = database.dump().filter(line => !before.includes(line))
  return { status, changed }
}

test('a body that is a list of lists, ten thousand deep, is refused', async () => {
  await using client = await openClient(newPlace())
  const body = '['.repeat(10_000) + ']'.repeat(10_000)
  const answer = await client.raw(`${S}/messages`, { method: 'POST', body, headers: json })
  expect(client.errors).toEqual([])
  expect(answer).toMatchObject({ status: 422, json: { error: { code: 'invalid_argument' } } })
})

test('of a setting that cannot be taken no more is sent back than can be read', async () => {
  await using client = await openClient(newPlace())
  const answer = await client.call('PUT', '/v1/settings', { policy: 'x'.repeat(1_000_000) })
  expect(answer).toMatchObject({ status: 422, json: { error: { code: 'invalid_settings' } } })
  expect(JSON.stringify(answer.json).length).toBeLessThan(10_000)
})

test('a context that does not fit changes nothing of the session', async () => {
  const place = newPlace()
  await using client = await openClient(place)
  await client.call('POST', `${S}/messages`, message)
  await client.settled()
  const tools = { search: { description: 'x'.repeat(200_000) } }
  const { status, changed } = await changes(place, () => client.call('POST', `${S}/context`, { tools }))
  expect(status).toBe(422)
  expect(changed).toEqual([])
})

test('a chat completion that does not fit stores nothing', async () => {
  const place = newPlace()
  await using model = await startModelServer({ reply: 'Yes.' })
  const environment = { model: 'openai-compatible:x', modelBaseUrl: model.url }
  await using client = await openClient(place, { environment })
  const messages = [{ role: 'user', content: 'Shall we ship on Friday?' }]
  await client.call('POST', '/v1/chat/completions', { user: 's', messages })
  await client.settled()
  const asked = { user: 's', messages: [{ role: 'user', content: 'And on Monday?' }], budget: 1 }
  const { status, changed } = await changes(place, () => client.call('POST', '/v1/chat/completions', asked))
  expect(status).toBe(422)
  expect(changed).toEqual([])
})
