import { afterAll, describe, expect, test } from 'vitest'
import {
  createPalimpsest,
  type Palimpsest,
  type SessionOptions,
} from '../../packages/palimpsest/src/palimpsest.ts'
import type { Scope } from '../../packages/palimpsest/src/store/index.ts'
import type { McpAccess } from '../../packages/server/src/mcp/access.ts'
import { callTool } from '../../packages/server/src/mcp/call-tool.ts'
import { listTools } from '../../packages/server/src/mcp/tools.ts'
import { sqlitePlace } from '../stores.ts'

const cleanups: (() => Promise<unknown>)[] = []
afterAll(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup()
})

/** What sessions there are, by id; `new`: none yet. */
const SESSIONS: Record<string, SessionOptions & { speaker: string }> = {
  anns: { kind: 'private', user: 'ann', speaker: 'ann' },
  bobs: { kind: 'private', user: 'bob', speaker: 'bob' },
  nobodys: { kind: 'private', speaker: 'ann' },
  group: { kind: 'group', speaker: 'bob' },
  owned: { kind: 'group', speaker: 'ann' },
  agent: { kind: 'agent', speaker: 'ann' },
}

const TRAITS: readonly (SessionOptions | undefined)[] = [
  undefined,
  { kind: 'private' },
  { kind: 'private', user: 'ann' },
  { kind: 'private', user: 'bob' },
  { kind: 'group' },
  { kind: 'agent' },
]

const VALID: Record<string, object> = {
  get_context: {},
  append_messages: { role: 'user', text: 'Hello', sender: { id: 'ann' } },
  write_memory: { section: 'Facts', content: 'The shop is in Porto.' },
  write_user_memory: { section: 'Facts', content: 'Likes tea.' },
  write_chat_memory: { section: 'Facts', content: 'About tea.' },
  query_history: { query: 'tea' },
  expand_history: { fromSeq: 1, toSeq: 1 },
}

async function open(memory: object): Promise<Palimpsest> {
  const place = sqlitePlace()
  const palimpsest = await createPalimpsest({ store: await place.open(), folding: 'manual', memory })
  cleanups.push(
    () => place.remove(),
    () => palimpsest.close(),
  )
  for (const [id, { speaker, ...options }] of Object.entries(SESSIONS))
    await palimpsest
      .session(id, options)
      .append({ role: 'user', text: 'I like tea', sender: { id: speaker } })
  return palimpsest
}

const MEMORIES = {
  'no owner': {},
  'an owner': { owner: 'ann' },
  'an owner in groups': { owner: 'ann', ownerSharesIn: 'groups' },
}
const SCOPES: readonly (readonly Scope[])[] = [[], ['read'], ['write'], ['read', 'write']]

/** Every tool, called in each of the sessions that this access may reach: in how many it was done. */
async function doneIn(access: McpAccess, name: string, sessions: readonly string[]): Promise<string[]> {
  const done: string[] = []
  for (const session of sessions) {
    const args = { ...VALID[name], ...(access.session === undefined && { session }) }
    if ((await callTool(access, name, args)).isError !== true) done.push(session)
  }
  return done
}

describe.each(Object.entries(MEMORIES))('%s', (_, memory) => {
  test('unbound: each tool that is listed can be called somewhere, and no other anywhere', async () => {
    const palimpsest = await open(memory)
    for (const scopes of SCOPES)
      for (const traits of TRAITS) {
        const access = { palimpsest, scopes: new Set(scopes), version: '1', ...(traits && { traits }) }
        const listed = (await listTools(access)).map(({ name }) => name)
        const named = JSON.stringify({ scopes, traits })
        for (const name of Object.keys(VALID)) {
          const done = await doneIn(access, name, Object.keys(SESSIONS))
          expect([named, name, done.length > 0]).toEqual([named, name, listed.includes(name)])
        }
      }
  })

  test('bound to a session that is there: each that is listed can be called, and no other', async () => {
    const palimpsest = await open(memory)
    for (const scopes of SCOPES)
      for (const traits of TRAITS)
        for (const session of Object.keys(SESSIONS)) {
          const access = {
            ...{ palimpsest, session, scopes: new Set(scopes), version: '1' },
            ...(traits && { traits }),
          }
          const listed = (await listTools(access)).map(({ name }) => name)
          const named = JSON.stringify({ scopes, traits, session })
          // The last one to speak decides in a group: so nothing is said before it was called.
          const names = Object.keys(VALID).filter(name => name !== 'append_messages')
          for (const name of names)
            expect([named, name, (await doneIn(access, name, [session])).length > 0]).toEqual([
              named,
              name,
              listed.includes(name),
            ])
        }
  })

  test('bound to one that is not there yet: each that is listed can be called once it is made', async () => {
    for (const traits of TRAITS.filter(each => each !== undefined)) {
      const palimpsest = await open(memory)
      const scopes = new Set<Scope>(['read', 'write'])
      const access: McpAccess = { palimpsest, session: 'new', traits, scopes, version: '1' }
      const before = (await listTools(access)).map(({ name }) => name)
      await callTool(access, 'append_messages', { role: 'user', text: 'I like tea', sender: { id: 'ann' } })
      const after = (await listTools(access)).map(({ name }) => name)
      expect([traits, before]).toEqual([traits, after])
      for (const name of before)
        if (name !== 'append_messages')
          expect([traits, name, await doneIn(access, name, ['new'])]).toEqual([traits, name, ['new']])
    }
  })
})
