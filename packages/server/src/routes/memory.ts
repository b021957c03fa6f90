import { z } from '@hono/zod-openapi'
import { InvalidArgumentError } from 'palimpsest/internals/errors'
import { parseInstant } from 'palimpsest/internals/log/index'
import { dailyKey, LAYERS } from 'palimpsest/internals/store/index'
import { memoryOf } from '../configuration.ts'
import { cursorOf, readCursor } from '../document-cursor.ts'
import { DOCUMENT, documentJson } from '../document-json.ts'
import { writtenKey } from '../document-name.ts'
import { type Endpoint, endpoint } from '../endpoint.ts'
import { oneOf, text, wholeNumberText } from '../fields.ts'
import { memoryDocumentRoutes } from './memory-document.ts'

/** The query of a list that is read in pages. */
const PAGE = {
  after: text().optional().openapi({ description: 'the `next` of the page before' }),
  limit: wholeNumberText(1, 1_000).optional(),
}
const listDocuments = endpoint({
  method: 'get',
  path: '/v1/memory',
  summary: 'List memory documents, without their contents, in order of layer and key',
  query: z.strictObject({ layer: oneOf(LAYERS).optional(), ...PAGE }),
  answers: {
    200: '{ documents: [{ layer, key, version, tokens, budget, createdAt, updatedAt }], next }: `next` is the `after` of the next page, null on the last one',
  },
  handle: async ({ palimpsest, settings, query: { layer, after, limit = 100 } }) => {
    const found = await palimpsest.memory.list({
      limit: limit + 1,
      ...(layer && { layer }),
      ...(after !== undefined && { after: readCursor(after) }),
    })
    const { budgets } = memoryOf(settings.current.values)
    const documents = found.slice(0, limit)
    return {
      json: {
        documents: documents.map(({ layer, key, ...document }) => ({
          layer,
          key: writtenKey({ layer, key }),
          ...document,
          budget: budgets[layer],
        })),
        next: found.length > limit ? cursorOf(documents.at(-1)!) : null,
      },
    }
  },
})

const readDay = endpoint({
  method: 'get',
  path: '/v1/memory/daily/{day}',
  summary: 'Read the logs of all chats on a day, in pages',
  query: z.strictObject(PAGE),
  answers: { 200: `{ layer, key, documents: [${DOCUMENT}], next }` },
  handle: async ({ palimpsest: { memory }, part, query: { after, limit = 100 } }) => {
    const day = part('day')
    if (parseInstant(day, 'UTC') === null)
      throw new InvalidArgumentError('key', day, 'a day of the calendar, such as 2026-02-10')
    const found = await memory.list({
      layer: 'daily',
      // Right before the first session of the day.
      after: after === undefined ? { layer: 'daily', key: dailyKey(day, '') } : readCursor(after),
      limit: limit + 1,
    })
    const ofDay = found.filter(({ key }) => key.startsWith(dailyKey(day, '')))
    const listed = ofDay.slice(0, limit)
    const documents = await Promise.all(listed.map(({ key }) => memory.document('daily', key).read()))
    return {
      json: {
        layer: 'daily',
        key: day,
        documents: documents.filter(document => document !== null).map(documentJson),
        next: ofDay.length > limit ? cursorOf(listed.at(-1)!) : null,
      },
    }
  },
})

/** `readDay` comes before the documents, because a day looks like a key. */
export const memoryRoutes: readonly Endpoint[] = [listDocuments, readDay, ...memoryDocumentRoutes]
