import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { GivenTraits, SessionTraits, Store } from '../packages/palimpsest/src/store/index.ts'
import { Chat, message } from '../packages/palimpsest/src/testing/store-contract/chat.ts'
import { runs } from './runs.ts'
import { PLACES } from './stores.ts'

const given = fc.record({
  kind: fc.constantFrom(null, 'private' as const, 'group' as const),
  user: fc.constantFrom(null, 'ann', 'bob'),
  scope: fc.constantFrom(null, 'work', 'home'),
})
const step = fc.record({
  do: fc.constantFrom('append', 'replaceTail', 'assign', 'read', 'erase' as const),
  store: fc.nat(1),
  given,
})
type Step = typeof step extends fc.Arbitrary<infer Value> ? Value : never

const contradicts = (said: GivenTraits, is: SessionTraits): boolean =>
  (['kind', 'user', 'scope'] as const).some(
    trait => said[trait] !== null && is[trait] !== null && said[trait] !== is[trait],
  )
const lacking = (said: GivenTraits, is: SessionTraits) =>
  (['user', 'scope'] as const).filter(trait => said[trait] !== null && is[trait] === null)

/** What a session is and how many messages it has; `null`: there is none. */
type Model = (SessionTraits & { messages: number }) | null

async function take({ do: action, given }: Step, chat: Chat, store: Store, model: Model): Promise<Model> {
  const refused = model !== null && contradicts(given, model)
  const ended = async (work: Promise<unknown>) =>
    work.then(
      value => ({ value }),
      error => error.code,
    )
  if (action === 'append' || action === 'replaceTail') {
    const opened = new Chat(store, chat.key.id, { ...given, namespace: chat.key.namespace })
    const work = action === 'append' ? opened.append(message('x')) : opened.replaceTail([], [message('x')])
    const end = await ended(work)
    if (refused) {
      expect(end).toBe('session_mismatch')
      return model
    }
    const missing = model === null ? [] : lacking(given, model)
    expect(end.value.unassigned).toEqual(missing.length === 0 ? undefined : missing)
    if (model === null) return { ...given, kind: given.kind ?? 'private', messages: 1 }
    return { ...model, messages: model.messages + 1 }
  }
  if (action === 'assign') {
    const { user, scope } = given
    const said = { kind: null, user, scope }
    const end = await ended(store.sessions.assignTraits(chat.key, { user, scope, now: chat.tick() }))
    if (model === null) expect(end).toBe('session_not_found')
    else if (contradicts(said, model)) expect(end).toBe('session_mismatch')
    else {
      expect(end.value.assigned).toEqual(lacking(said, model))
      return { ...model, user: model.user ?? user, scope: model.scope ?? scope }
    }
    return model
  }
  if (action === 'read') {
    const end = await ended(store.sessions.readSession({ ...chat.key, traits: given }))
    if (refused) expect(end).toBe('session_mismatch')
    else expect(end.value?.head?.totals.messages ?? null).toBe(model?.messages ?? null)
    return model
  }
  const person = given.user ?? 'ann'
  const target = { kind: 'person', id: person } as const
  let { id, stage } = await store.erasure.beginErasure(chat.key.namespace, { target, now: chat.tick() })
  while (stage === 'erasing')
    ({ id, stage } = await store.erasure.continueErasure(chat.key.namespace, { id, now: chat.tick() }))
  if (model?.user !== person) return model
  return model.kind === 'group' ? { ...model, user: null } : null
}

test.each(Object.entries(PLACES))(
  '%s: however a session is opened, appended to and assigned, it is one thing',
  async (_, newPlace) => {
    const place = newPlace()
    const stores = [await place.open(), await place.open()]
    let number = 0
    try {
      await fc.assert(
        fc.asyncProperty(fc.array(step, { minLength: 2, maxLength: 14 }), async steps => {
          const chat = new Chat(stores[0]!, 'chat', { namespace: `run ${number++}` })
          let model: Model = null
          for (const each of steps) {
            model = await take(each, chat, stores[each.store]!, model)
            const record = await stores[0]!.sessions.readSession(chat.key)
            const { kind, user, scope } = record ?? {}
            const is = record && { kind, user, scope, messages: record.head?.totals.messages ?? 0 }
            expect(is).toEqual(model)
          }
        }),
        { numRuns: runs(15, 40) },
      )
    } finally {
      for (const store of stores) await store.close()
      await place.remove()
    }
  },
)
