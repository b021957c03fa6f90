import type { ComponentChildren, JSX } from 'preact'

interface ButtonProps extends Omit<JSX.IntrinsicElements['button'], 'children'> {
  /** `danger`: for an action that cannot be undone. */
  readonly look?: 'plain' | 'primary' | 'danger' | 'quiet'
  readonly children: ComponentChildren
}

export function Button({ look = 'plain', type = 'button', ...others }: ButtonProps) {
  return <button {...others} type={type} class={`button ${look}`} />
}
