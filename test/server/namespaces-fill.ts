import type { House, Tenant } from './namespaces-house.ts'

/** Under the same names in both: what tells them apart is what they say. */
export const SAME = { session: 'same', group: 'group', user: 'mara', scope: 'team', day: '2026-02-10' }

const DOCUMENTS = [
  'persona',
  'global',
  `user/${SAME.user}`,
  `scope/${SAME.scope}`,
  `chat/${SAME.session}`,
  `daily/${SAME.day}%2F${SAME.session}`,
]

export function saidBy({ canary }: Tenant, count: number): readonly object[] {
  return Array.from({ length: count }, (_, index) => ({
    role: index % 2 === 0 ? 'user' : 'assistant',
    text: `${canary} ${index + 1}: lemons for Porto, and so on, ${'word '.repeat(30)}`,
    externalId: `m-${index + 1}`,
    at: `2026-02-10T14:${String(index).padStart(2, '0')}:00Z`,
    // One of the two names is the same in both.
    ...(index % 2 === 0 && { sender: { id: SAME.user, name: index % 4 === 0 ? `Mara ${canary}` : 'Mara' } }),
  }))
}

function aboutMara({ canary }: Tenant): readonly object[] {
  const sender = { id: SAME.user, name: `Mara ${canary}` }
  return [
    { role: 'user', text: `I live in Hangzhou near the ${canary} bridge.`, sender },
    { role: 'assistant', text: 'I see.' },
  ]
}

/** One of everything that there can be of a namespace, full of its canary. Gives the id of its erasure. */
export async function fill(tenant: Tenant, { model }: Pick<House, 'model'>): Promise<number> {
  const { canary } = tenant
  const must = async (...call: Parameters<Tenant['call']>) => {
    const answer = await tenant.call(...call)
    if (answer.status >= 300) throw new Error(`${call[0]} ${call[1]}: ${answer.seen.slice(0, 1_000)}`)
    return answer
  }
  const once = { 'idempotency-key': 'once' }
  // Without a model facts are learned in the words in which they were said.
  await must('PUT', '/v1/settings', {
    ...{ model: null, extract: 'turn', memoInstructions: `keep ${canary}`, memoryOwner: SAME.user },
  })
  await must('POST', '/v1/sessions/learned/messages', { messages: aboutMara(tenant), user: SAME.user })
  await tenant.settled()
  await must('PUT', '/v1/settings', {
    ...{ policy: 'count', threshold: 10, keepLast: 4, extract: 'off' },
    ...{ model: 'openai-compatible:qwen3', modelBaseUrl: model.url, modelApiKey: `sk-${canary}` },
  })
  const messages = `/v1/sessions/${SAME.session}/messages`
  await must('POST', messages, { messages: saidBy(tenant, 14), kind: 'private', user: SAME.user }, once)
  await tenant.settled()
  await must('POST', `/v1/sessions/${SAME.session}/compact`, { force: 'deep', focus: canary }, once)
  await must('POST', `/v1/sessions/${SAME.group}/messages`, {
    messages: saidBy(tenant, 6),
    kind: 'group',
    scope: SAME.scope,
  })
  await must('PATCH', `${messages}/14`, { text: `${canary} corrected` })
  await must('PUT', `/v1/sessions/${SAME.session}/settings`, { threshold: thresholdOf(tenant) })
  for (const document of DOCUMENTS)
    for (const line of ['tea', 'lemons'])
      await must('PUT', `/v1/memory/${document}`, {
        content: `# It\n## Likes\n- ${line} ${canary}\n`,
        author: `author ${canary}`,
      })
  await must('POST', `/v1/sessions/${SAME.session}/fork`, { id: 'forked', atSeq: 13 })
  await tenant.pin(SAME.session, 13)
  await must('POST', '/v1/chat/completions', chatRequest(tenant))
  const receipt = await must('DELETE', `/v1/sessions/${SAME.group}/messages/2`)
  await tenant.settled()
  return receipt.json.id
}

/** A setting that is a number in one, and another in the other. */
export function thresholdOf({ canary }: Tenant): number {
  return 100 + canary.length
}

export function chatRequest({ canary }: Tenant, more: object = {}): object {
  return { model: 'm', user: 'openai', messages: [{ role: 'user', content: `ask ${canary}` }], ...more }
}
