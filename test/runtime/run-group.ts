import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { sqlite } from '../../packages/palimpsest/src/index.ts'
import cacheCompiled from '../compile-cache.ts'
import { groupChat, ircChat } from './group-chat.ts'
import { simulateGroup } from './group-simulation.ts'

/**
 * `node test/runtime/run-group.ts [--messages 20000] [--kills 60] [--seed 1] [--irc FOLDER --nick NICK]`: a group of
 * thirty people, or the IRC days of a folder, with a bot that is killed so often. Prints figures, or what was wrong.
 */
const { values } = parseArgs({
  options: {
    messages: { type: 'string', default: '20000' },
    kills: { type: 'string', default: '60' },
    seed: { type: 'string', default: '1' },
    irc: { type: 'string' },
    nick: { type: 'string', default: '' },
  },
})
if (values.irc !== undefined && values.nick === '')
  throw new Error('--irc needs --nick NICK: whoever names it speaks to the bot.')
const seed = Number(values.seed)
const messages =
  values.irc === undefined
    ? groupChat({ seed, messages: Number(values.messages) })
    : ircChat({ folder: values.irc, nick: values.nick })
const folder = mkdtempSync(join(tmpdir(), 'palimpsest-group-'))
const file = join(folder, 'group.db')
const open = async () => {
  const store = sqlite(file, { durability: 'normal' })
  await store.open()
  return store
}
console.error(
  `seed ${seed}, ${messages.length} messages, ${messages.filter(m => m.mentionsBot).length} mentions`,
)
try {
  await cacheCompiled()
  const figures = await simulateGroup({
    ...{ messages, seed, kills: Number(values.kills), place: { address: `sqlite:${file}`, open } },
    onProgress: progress => console.error(JSON.stringify(progress)),
  })
  console.log(JSON.stringify({ seed, ...figures }))
} finally {
  rmSync(folder, { recursive: true, force: true })
}
