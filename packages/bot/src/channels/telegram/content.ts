import type { Message } from 'grammy/types'
import type { AttachmentPart, Content, ContentPart, TextPart } from 'palimpsest/internals/log/index'
import { cleanName } from './clean-name.ts'
import { noteOf } from './note.ts'
import { forwardOrigin, linkParts, quotedParts, withOrigin } from './origins.ts'
import { richText } from './rich-text.ts'

/**
 * What was said. Files are references that only the bot itself can follow. `null`: it is a service message.
 */
export function contentOf(message: Message): Content | null {
  const said = [noteOf(message), message.text ?? message.caption ?? richText(message.rich_message)]
  const text = said.filter(piece => piece !== '').join('\n')
  const attachment = attachmentOf(message)
  if (!attachment && text === '') return null
  const forwarded = forwardOrigin(message)
  const beside = [...quotedParts(message, attachmentOf), ...linkParts(message)]
  if (!attachment && forwarded === null && beside.length === 0) return text
  const parts: (ContentPart | null)[] = [attachment, text === '' ? null : { type: 'text', text }]
  const own = parts.filter(part => part !== null).map(part => withOrigin(part, forwarded))
  const isLink = ({ origin }: TextPart) => origin?.kind === 'link'
  return [...beside.filter(part => !isLink(part)), ...own, ...beside.filter(isLink)]
}

/** The fields that all kinds of files on Telegram share. */
interface TelegramFile {
  readonly file_id: string
  readonly file_name?: string
  readonly mime_type?: string
  readonly file_size?: number
  readonly width?: number
  readonly height?: number
  readonly duration?: number
}

/**
 * Telegram repeats animations and live photos in a form that older programs know. The first kind in this
 * order wins.
 */
function attachmentOf(message: Message): AttachmentPart | null {
  const { photo, animation, video, video_note, voice, audio, sticker, document } = message
  // Telegram lists the largest size last.
  const largest = photo?.at(-1)
  if (largest) return reference('image', largest, 'photo')
  if (animation) return reference('file', animation, 'animation')
  if (video) return reference('file', video, 'video')
  if (video_note) return reference('file', video_note, 'video message')
  if (voice) return reference('file', voice, 'voice message')
  if (audio)
    return reference(
      'file',
      audio,
      [audio.performer, audio.title].map(cleanName).filter(Boolean).join(' – ') || 'audio',
    )
  if (sticker)
    return reference(
      sticker.is_animated || sticker.is_video ? 'file' : 'image',
      sticker,
      `sticker ${cleanName(sticker.emoji)}`.trimEnd(),
    )
  if (document)
    return reference(document.mime_type?.startsWith('image/') ? 'image' : 'file', document, 'document')
  return null
}

/** A reference always has a name: without one a model would be shown the id, which tells it nothing. */
function reference(type: 'image' | 'file', file: TelegramFile, kind: string): AttachmentPart {
  const { file_id: id, file_name, mime_type, file_size: size, width, height, duration } = file
  const known = Object.entries({ mime_type, size, width, height, duration }).filter(
    ([, value]) => value !== undefined,
  )
  const name = cleanName(file_name) || kind
  return { type, id, name, ...Object.fromEntries(known) }
}
