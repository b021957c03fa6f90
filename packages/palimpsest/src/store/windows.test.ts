import assert from 'node:assert/strict'
import fc from 'fast-check'
import { afterAll, beforeAll, test } from 'vitest'
import { runs } from '../../../../test/runs.ts'
import { sqlitePlace } from '../../../../test/stores.ts'
import { Chat, checkFigures } from '../testing/store-contract/chat.ts'
import { eraseMessages } from '../testing/store-contract/erasing-kit.ts'
import { choose } from '../testing/store-contract/windows.ts'
import type { Store } from './index.ts'

const place = sqlitePlace()
let store: Store

beforeAll(async () => {
  store = await place.open()
})

afterAll(async () => {
  await store.close()
  await place.remove()
})

/** Each takes a share of what there is, whatever there is. */
const OPERATIONS = [
  'say',
  'fold',
  'provisional',
  'roll up',
  'window',
  'window',
  'tell',
  'tell rolled up',
  'rollback',
  'take back',
  'erase',
  'fork',
] as const
const step = fc.tuple(fc.constantFrom(...OPERATIONS), fc.double({ min: 0, max: 1, noNaN: true }))

/** A window that says which messages whoever chose it had read. */
async function chooseWindow(chat: Chat, toSeq: number): Promise<void> {
  const read = (await chat.seqs()).map(seq => `<${seq}>`).join('')
  await choose(chat, toSeq, { window: [{ role: 'user', content: `read ${read}` }] })
}

/** As a model folds that is shown all that was folded before: each says, and the memo too, what its maker was told. */
async function foldTelling(chat: Chat, toSeq: number, isRolledUp: boolean): Promise<void> {
  const shown = await chat.store.folds.readSegments(chat.key, 'shown')
  const { memo } = await chat.record()
  const commit = await chat.prepareFold(toSeq)
  const { fromSeq } = commit.plan.range!
  const read = (await chat.seqs()).filter(seq => seq >= fromSeq && seq <= toSeq).map(seq => `<${seq}>`)
  const told = [JSON.stringify([shown, memo]).match(/<\d+>/g) ?? [], read].flat().join('')
  const lower = { ...commit.segments[0]!, text: told }
  const messageCount = shown.reduce((sum, each) => sum + each.messageCount, lower.messageCount)
  const absorbs = [...shown.map(({ id }) => id), -1]
  const higher = { ...lower, fromSeq: shown[0]?.fromSeq ?? fromSeq, level: 2, messageCount, absorbs }
  await chat.commit({
    ...commit,
    segments: isRolledUp ? [lower, higher] : [lower],
    memo: { value: { told }, throughSeq: toSeq },
  })
}

async function apply(chat: Chat, [operation, share]: [(typeof OPERATIONS)[number], number]): Promise<Chat> {
  const seqs = await chat.seqs()
  const raw = (await chat.store.folds.readPlan(chat.key))?.raw ?? []
  const within = <Item>(list: readonly Item[]) =>
    list[Math.min(list.length - 1, Math.floor(list.length * share))]
  const cut = within(raw)?.seq
  if (operation === 'say') await chat.say(1 + Math.floor(share * 6))
  else if (operation === 'rollback') await chat.rollback(within([0, ...seqs])!)
  else if (operation === 'take back') await chat.rollback(seqs.at(-2) ?? 0)
  else if (operation === 'erase' && seqs.length > 0) await eraseMessages(chat, within(seqs)!)
  else if (operation === 'fork' && seqs.length > 0) return chat.fork(`fork ${forks++}`, within(seqs)!)
  else if (cut === undefined) return chat
  else if (operation === 'fold') await chat.fold(cut)
  else if (operation === 'provisional') await chat.fold(cut, { state: 'provisional' })
  else if (operation === 'roll up') await chat.foldAndRollUp(cut, 2)
  else if (operation === 'tell') await foldTelling(chat, cut, false)
  else if (operation === 'tell rolled up') await foldTelling(chat, cut, true)
  else if (operation === 'window') {
    const isAlone = share > 0.8 && (await chat.store.folds.readSegments(chat.key, 'shown')).length > 0
    await chooseWindow(chat, isAlone ? 0 : cut)
  }
  return chat
}

let forks = 0

/** Of messages that are not visible any more nothing tells, shown or rolled up; nor of those that were erased. */
async function checkTold(chat: Chat): Promise<void> {
  const visible = new Set(await chat.seqs())
  const { segments, memo, memoVersions } = await chat.file()
  for (const each of [...segments, memo, ...memoVersions])
    for (const [, seq] of JSON.stringify(each).matchAll(/<(\d+)>/g))
      assert.ok(visible.has(Number(seq)), `${JSON.stringify(each)} tells of ${seq}`)
}

test('whatever becomes of a log, its windows leave no gap and tell of nothing that is gone', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 4, maxLength: 14 }), async steps => {
      let chat = new Chat(store, `chat ${forks++}`)
      await chat.say(4)
      for (const each of steps) {
        chat = await apply(chat, each)
        await checkFigures(chat)
        await checkTold(chat)
      }
    }),
    { numRuns: runs(50, 150) },
  )
})
