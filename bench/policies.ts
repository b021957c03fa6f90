import { compose, count, resize, rounds, tokens, window } from '../packages/palimpsest/src/index.ts'

const FAR = 1_000_000_000

/** Every built-in rule, each asked at every append, and none of them ever fires. */
export const NEVER = compose(
  resize({ everyNTurns: FAR, maxMessagesTextLength: FAR, maxKeepMessagesCount: FAR }),
  count({ threshold: FAR, keepLast: FAR }),
  rounds({ fullContextTurns: FAR, cachedContextTurns: FAR }),
  window({ contextSize: FAR + 1, tailKeepSize: FAR, compressionWindowSize: FAR, compressionHardLimit: FAR }),
  tokens({ budget: FAR }),
)
