import { join } from 'node:path'
import { AIMessage, HumanMessage, RemoveMessage } from '@langchain/core/messages'
import {
  Annotation,
  type BaseCheckpointSaver,
  MessagesAnnotation,
  START,
  StateGraph,
} from '@langchain/langgraph'
import { PostgresSaver } from '@langchain/langgraph-checkpoint-postgres'
import { SqliteSaver } from '@langchain/langgraph-checkpoint-sqlite'
import { LAST_MESSAGES, type Message, type Opened, type Place, SUMMARY } from '../contestant.ts'

const State = Annotation.Root({ ...MessagesAnnotation.spec, summary: Annotation<string> })
const CONFIG = { configurable: { thread_id: 'bench' } }
const NODE = 'model'

export async function open(place: Place, variant: string): Promise<Opened> {
  const { checkpointer, readDurability, close } = await openSaver(place, variant)
  const graph = new StateGraph(State)
    .addNode(NODE, async () => ({}))
    .addEdge(START, NODE)
    .compile({ checkpointer })
  const isTrimmed = variant.endsWith('trimmed')
  /** Of the messages in the state, to be removed when there are too many. */
  let ids: string[] | null = null

  const readIds = async () => {
    const { values } = await graph.getState(CONFIG)
    return (values as typeof State.State).messages.map(({ id }) => id!)
  }

  return {
    fill: async (messages, progress) => {
      const kept = isTrimmed ? messages.slice(-LAST_MESSAGES) : messages
      await graph.updateState(CONFIG, { messages: kept.map(toLangChain), summary: SUMMARY }, NODE)
      progress(messages.length)
    },
    append: async message => {
      if (!isTrimmed) return graph.updateState(CONFIG, { messages: [toLangChain(message)] }, NODE)
      ids ??= await readIds()
      ids.push(message.externalId)
      const removed = ids.splice(0, Math.max(0, ids.length - LAST_MESSAGES))
      const update = [...removed.map(id => new RemoveMessage({ id })), toLangChain(message)]
      return graph.updateState(CONFIG, { messages: update }, NODE)
    },
    context: async () => {
      const { values } = await graph.getState(CONFIG)
      const { messages, summary } = values as typeof State.State
      // `trimMessages` does the same in a time that grows with the square: seconds, in a long thread.
      const last = messages.slice(-LAST_MESSAGES)
      return {
        messages: last.length,
        hasSummary: summary === SUMMARY,
        newest: String(last.at(-1)?.content),
      }
    },
    readDurability,
    close,
  }
}

async function openSaver({ folder, url, schema }: Place, variant: string) {
  if (variant === 'postgres') {
    const saver = PostgresSaver.fromConnString(url!, { schema })
    await saver.setup()
    return {
      checkpointer: saver as BaseCheckpointSaver,
      readDurability: async () => 'as the server',
      close: () => saver.end(),
    }
  }
  const saver = SqliteSaver.fromConnString(join(folder, 'langgraph.db'))
  return {
    checkpointer: saver as BaseCheckpointSaver,
    readDurability: async () =>
      `PRAGMA journal_mode = ${saver.db.pragma('journal_mode', { simple: true })}, synchronous = ${saver.db.pragma('synchronous', { simple: true })}`,
    close: async () => void saver.db.close(),
  }
}

function toLangChain({ role, text, externalId }: Message) {
  const fields = { id: externalId, content: text }
  return role === 'user' ? new HumanMessage(fields) : new AIMessage(fields)
}
