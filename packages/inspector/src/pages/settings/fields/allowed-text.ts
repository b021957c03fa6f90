import { language } from '../../../language/language.ts'
import { useValue } from '../../../state/value.ts'

/** Parts of the server's text about what is allowed. Longer ones come first. */
const IN_CHINESE: readonly (readonly [RegExp, string])[] = [
  [/a whole number of at least (-?\d+) below (\d+)/, '不小于 $1 且小于 $2 的整数'],
  [/a whole number of at least (-?\d+)/, '不小于 $1 的整数'],
  [/a number above (-?[\d.]+) below ([\d.]+)/, '大于 $1 且小于 $2 的数'],
  [/a whole number/, '整数'],
  [/a number/, '数'],
  [/text of at most (\d+) characters/, '不超过 $1 个字符的文本'],
  [/at most (\w+) \((\d+)\)/, '不大于 $1（$2）'],
  [/less than (\w+) \((\d+)\)/, '小于 $1（$2）'],
  [/, or 0 or none for off/, '；0 或留空表示不启用'],
  [
    /, or none for turn with the policy rounds and batch with others/,
    '；留空：策略为 rounds 时 turn，否则 batch',
  ],
  [/, or none for the built-in extractive summariser/, '；留空：内置的摘录式摘要'],
  [/, or none$/, '；可留空'],
  [/provider:model with a provider of ([\w, -]+)/, '提供商:模型，提供商为 $1'],
  [/models such as (\S+), separated by commas/, '以逗号分隔的模型，例如 $1'],
  [/an address such as (\S+?)(?=[,；]|$)/, '地址，例如 $1'],
  [/an IANA time zone such as "(.+)"/, 'IANA 时区，例如 "$1"'],
  [/auto, or a language such as en, zh or zh-CN/, 'auto，或一种语言，例如 en、zh 或 zh-CN'],
  [/a key of printable characters/, '由可打印字符组成的密钥'],
]

/** The server's text in Chinese, as far as its parts are known; the rest stays as it is. */
function allowedInChinese(allowed: string): string {
  return IN_CHINESE.reduce((text, [pattern, chinese]) => text.replace(pattern, chinese), allowed)
}

/** An empty field is sent as none. In the environment, the operator writes none. */
export function useAllowedText(where: 'field' | 'environment' = 'field'): (allowed: string) => string {
  const chosen = useValue(language)
  if (chosen === 'zh') return allowedInChinese
  return allowed => (where === 'field' ? allowed.replace(/\bnone\b/, 'empty') : allowed)
}
