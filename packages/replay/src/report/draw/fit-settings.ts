import { shorten, textWidth } from './text-width.ts'

/** Letters of a setting's name. With fewer, the reader has to guess the setting. */
const READABLE_LETTERS = 12

/**
 * Lays out `budget=8000 lowWater=0.5` in as few lines as keep the names readable. The values tell the runs of
 * one policy apart, so they stay whole.
 */
export function fitSettings(text: string, size: number, room: number): string[] {
  const settings = text.split(' ')
  const longest = Math.max(...settings.map(setting => setting.indexOf('=')))
  for (let most = 1; most < settings.length; most += 1)
    for (let kept = longest; kept >= Math.min(READABLE_LETTERS, longest); kept -= 1) {
      const lines = wrap(
        settings.map(setting => shortenSetting(setting, kept)),
        size,
        room,
      )
      if (lines.length <= most && lines.every(line => textWidth(line, size) <= room)) return lines
    }
  return settings.map(setting => squeeze(setting, size, room))
}

function shortenSetting(setting: string, kept: number): string {
  const letters = setting.indexOf('=')
  return letters > kept + 1 ? `${setting.slice(0, kept)}…${setting.slice(letters)}` : setting
}

function wrap(words: readonly string[], size: number, room: number): string[] {
  const lines: string[] = []
  for (const word of words) {
    const longer = lines.length === 0 ? word : `${lines.at(-1)} ${word}`
    if (lines.length > 0 && textWidth(longer, size) <= room) lines[lines.length - 1] = longer
    else lines.push(word)
  }
  return lines
}

/** One setting on its own line, even if little of its name is left. */
function squeeze(setting: string, size: number, room: number): string {
  for (let kept = setting.indexOf('='); kept > 0; kept -= 1) {
    const short = shortenSetting(setting, kept)
    if (textWidth(short, size) <= room) return short
  }
  return shorten(setting, size, room)
}
