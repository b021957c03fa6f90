/**
 * The names that settings have in the systems that people come from, the newest first. This one table serves
 * files, the environment, HTTP, the command line and the classic session, and the documentation prints it.
 * The setting's own name wins over all of them, and an earlier one in the list wins over a later one.
 */
export const OLDER_NAMES = {
  everyNTurns: ['session.resize.every_n_turns', 'every_n_turns'],
  maxMessagesTextLength: [
    'session.resize.max_messages_text_length',
    'max_messages_text_length',
    'session.resize.max_current_chars',
    'max_current_chars',
  ],
  maxKeepMessagesCount: [
    'session.resize.max_keep_messages_count',
    'max_keep_messages_count',
    'session.resize.keep_last_messages',
    'keep_last_messages',
  ],
  memoInstructions: ['session.memo.instruct'],
  fullContextTurns: ['agent.contextWindow.fullContextTurns'],
  cachedContextTurns: ['agent.contextWindow.cachedContextTurns'],
  contextSize: ['context_size'],
  tailKeepSize: ['tail_keep_size'],
  compressionWindowSize: ['compression_window_size'],
  compressionCooldownSec: ['compression_cooldown_sec'],
  compressionHardLimit: ['compression_hard_limit'],
} as const satisfies Readonly<Record<string, readonly string[]>>

export type OlderName<Name extends keyof typeof OLDER_NAMES> = (typeof OLDER_NAMES)[Name][number]

/** The older names of one setting. They are all in the table. */
export function olderNames(name: string): readonly string[] {
  return Object.hasOwn(OLDER_NAMES, name) ? OLDER_NAMES[name as keyof typeof OLDER_NAMES] : []
}

/**
 * A name with dots may also be written as objects: `agent.contextWindow` with `fullContextTurns` in it. These
 * are the names of such objects.
 */
export const OBJECT_NAMES: readonly string[] = [
  ...new Set(
    Object.values(OLDER_NAMES)
      .flat()
      .flatMap(name => {
        const parts = name.split('.')
        return parts.slice(1).map((_, index) => parts.slice(0, index + 1).join('.'))
      }),
  ),
]

/**
 * Replaces each such object by the flat names of what is in it. `null` in place of an object stands for all
 * names that it could hold. Any other value stays as it is, for the later check. A name that is written out
 * wins.
 */
export function withFlatNames(input: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  if (!Object.keys(input).some(name => OBJECT_NAMES.includes(name))) return input
  const [whole, flat] = [{}, {}] as [Record<string, unknown>, Record<string, unknown>]
  for (const [name, value] of Object.entries(input)) {
    const inside = OBJECT_NAMES.includes(name) ? insideOf(name, value) : null
    if (inside === null) whole[name] = value
    else Object.assign(flat, withFlatNames(inside))
  }
  return { ...flat, ...whole }
}

function insideOf(name: string, value: unknown): Readonly<Record<string, unknown>> | null {
  const within = `${name}.`
  if (value === null) {
    const names = Object.values(OLDER_NAMES).flat()
    return Object.fromEntries(names.filter(each => each.startsWith(within)).map(each => [each, null]))
  }
  if (typeof value !== 'object' || Array.isArray(value)) return null
  return Object.fromEntries(Object.entries(value).map(([inner, each]) => [within + inner, each]))
}
