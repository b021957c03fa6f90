import { oneLine, ROLES } from '../log/index.ts'
import { clip } from './clip.ts'
import type { SourceMessage } from './summarizer.ts'

const MAX_NAME_CHARACTERS = 40

/**
 * Who said it, such that it can be read in one way only: a name holds no colon, so that it ends where the
 * text begins, and one that poses as another role, or begins as a line of ours does, stands in quotes.
 */
export function speakerName({ sender, role }: Pick<SourceMessage, 'sender' | 'role'>): string {
  const given = clip(oneLine((sender?.name ?? sender?.id ?? '').replace(/[:：]/g, ' ')), MAX_NAME_CHARACTERS)
  if (given === '') return role
  const lower = given.toLowerCase()
  const poses = lower !== role && (ROLES as readonly string[]).includes(lower)
  return poses || /^(?:[#\-*>|=`~]|\d{4}-\d{2}-\d{2} )/.test(given) ? `"${given}"` : given
}
