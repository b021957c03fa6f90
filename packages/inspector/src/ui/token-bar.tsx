/** One bar that shows how much of a whole each part takes. A text beside it says the same. */
export function TokenBar({
  parts,
  whole,
}: {
  readonly parts: readonly { readonly name: string; readonly value: number; readonly colour: string }[]
  readonly whole: number
}) {
  const total = parts.reduce((sum, { value }) => sum + value, 0)
  const scale = Math.max(whole, total, 1)
  return (
    <div class="token-bar" aria-hidden="true">
      {parts.map(({ name, value, colour }) => (
        <span
          key={name}
          title={name}
          style={{ width: `${(100 * value) / scale}%`, background: `var(--${colour})` }}
        />
      ))}
    </div>
  )
}
