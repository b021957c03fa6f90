import { expect, test } from 'vitest'
import { escapeMarkup, markup, withCode } from './markup.ts'

test('what is put in is escaped, what is markup stays', () => {
  const name = '<b>"Tom" & \'Anna\'</b>'
  expect(markup`<i title="${name}">${[name, markup`<br>`, 1.005, null]}</i>`.text).toBe(
    '<i title="&lt;b&gt;&quot;Tom&quot; &amp; &#39;Anna&#39;&lt;/b&gt;">&lt;b&gt;&quot;Tom&quot; &amp; &#39;Anna&#39;&lt;/b&gt;<br>1</i>',
  )
})

test('what HTML forbids is replaced, Chinese and emoji stay', () => {
  expect(escapeMarkup('a\u0000b\u001b[31m\u007f\ud800c\ufffe')).toBe('a�b�[31m��c�')
  expect(escapeMarkup('周末\t🦊\n')).toBe('周末\t🦊\n')
})

test('names between backticks become code', () => {
  expect(withCode('`rounds <6>` wins').text).toBe('<code>rounds &lt;6&gt;</code> wins')
})
