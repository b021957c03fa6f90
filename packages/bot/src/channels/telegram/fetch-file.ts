import { type AttachmentPart, attachmentKind } from 'palimpsest/internals/log/index'
import type { FetchedFile } from '../../channel.ts'
import type { TelegramCall } from './client.ts'
import type { TelegramSettings } from './options.ts'
import { TelegramFailure } from './telegram-failure.ts'

type Limits = Pick<TelegramSettings, 'token' | 'apiRoot' | 'maxImageBytes' | 'maxAudioBytes'>

/** Types by extension, for photos, stickers and some voice messages, whose type Telegram does not tell. */
const TYPES: Readonly<Record<string, string>> = {
  jpg: 'image/jpeg',
  jpeg: 'image/jpeg',
  png: 'image/png',
  gif: 'image/gif',
  webp: 'image/webp',
  oga: 'audio/ogg',
  ogg: 'audio/ogg',
  mp3: 'audio/mpeg',
  m4a: 'audio/mp4',
  wav: 'audio/wav',
}
const DEFAULT_TYPES = { image: 'image/jpeg', audio: 'audio/ogg' } as const

/** The bytes of a photo or a voice message. `null`: the file is of another kind, too large, or gone. */
export async function fetchFile(
  attachment: AttachmentPart,
  { call, settings, signal }: { call: TelegramCall; settings: Limits; signal: AbortSignal },
): Promise<FetchedFile | null> {
  const { id, size } = attachment
  const kind = kindOf(attachment)
  if (kind === null || typeof id !== 'string') return null
  const most = kind === 'image' ? settings.maxImageBytes : settings.maxAudioBytes
  if (most === 0 || (typeof size === 'number' && size > most)) return null
  const file = await call((api, stopped) => api.getFile(id, stopped), signal)
  if (file.file_path === undefined || (file.file_size ?? 0) > most) return null
  const { apiRoot, token } = settings
  const data = await download(`${apiRoot}/file/bot${token}/${file.file_path}`, { most, signal })
  const declared = attachment['mime_type']
  const byName = TYPES[file.file_path.split('.').at(-1)!.toLowerCase()]
  return (
    data && { data, mediaType: typeof declared === 'string' ? declared : (byName ?? DEFAULT_TYPES[kind]) }
  )
}

/** `null`: neither an image nor audio. Moving stickers and pictures are stored as files of other kinds. */
function kindOf(attachment: AttachmentPart): 'image' | 'audio' | null {
  const type = String(attachment['mime_type'] ?? '')
  if (type.startsWith('image/')) return 'image'
  if (type.startsWith('audio/')) return 'audio'
  const kind = attachmentKind(attachment)
  return type === '' && (kind === 'image' || kind === 'audio') ? kind : null
}

/** Reads at most `most` bytes, whatever size was declared. No error holds the address: the token is in it. */
async function download(
  url: string,
  { most, signal }: { most: number; signal: AbortSignal },
): Promise<Uint8Array | null> {
  try {
    const response = await fetch(url, { signal })
    if (!response.ok) throw new Error(`it was answered with ${response.status}`)
    const chunks: Uint8Array[] = []
    let length = 0
    for await (const chunk of response.body ?? []) {
      length += chunk.length
      if (length > most) return null
      chunks.push(chunk)
    }
    return Buffer.concat(chunks)
  } catch (error) {
    if (signal.aborted) throw error
    const reason =
      error instanceof Error && error.message.startsWith('it was') ? error.message : 'no proper answer'
    throw new TelegramFailure(`a file could not be fetched: ${reason}`, {
      status: null,
      retryAfterMs: null,
      movedTo: null,
    })
  }
}
