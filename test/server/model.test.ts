import { expect, test } from 'vitest'
import { startModelServer } from '../../packages/palimpsest/src/testing/index.ts'
import { sqlitePlace } from '../stores.ts'
import { openClient, talk } from './client.ts'

/** A model that is set while the server runs writes the next summary, and none the one after it is taken away. */
test('a change of the model takes effect at once', async () => {
  const place = sqlitePlace()
  await using model = await startModelServer({
    reply: JSON.stringify({ summary: 'They spoke of lemons for Porto.', events: [], details: [] }),
  })
  {
    await using client = await openClient(place, { environment: { policy: 'count', keepLast: 2 } })
    const session = '/v1/sessions/s'
    const fold = async () => {
      await client.call('POST', `${session}/messages`, { messages: talk(12, 30) })
      return client.call('POST', `${session}/compact`, { force: 'lite' })
    }
    const put = await client.call('PUT', '/v1/settings', {
      model: 'openai-compatible:qwen3',
      modelBaseUrl: model.url,
      modelApiKey: 'sk-secret',
      memoInstructions: 'keep names\nkeep dates',
    })
    expect(put).toMatchObject({ status: 200, json: { settings: { model: 'openai-compatible:qwen3' } } })
    const byModel = (await fold()).json
    expect(byModel).toMatchObject({ outcome: 'applied' })
    const written = (await client.call('GET', `${session}/segments`)).json.segments.at(-1)
    expect(written).toMatchObject({ summarizer: expect.stringContaining('qwen3') })
    expect(model.requests.length).toBeGreaterThan(0)
    expect(model.requests[0]).toMatchObject({
      body: { model: 'qwen3' },
      headers: { authorization: 'Bearer sk-secret' },
    })
    expect(JSON.stringify(model.requests[0]!.body)).toContain('keep dates')
    const { length } = model.requests
    await client.call('PUT', '/v1/settings', { model: null, memoInstructions: null })
    expect((await fold()).json).toMatchObject({ outcome: 'applied' })
    expect(model.requests).toHaveLength(length)
  }
  await place.remove()
})
