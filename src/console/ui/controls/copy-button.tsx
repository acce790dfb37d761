import { useServices } from '../../services/services-context.tsx'
import { IconButton } from './icon-button.tsx'
import { copyText } from './copy-text.ts'
import { Icon } from '../icon.tsx'

export interface CopyButtonProps {
  readonly text: string | (() => string)
  readonly label?: string
}

/** Copies a text to the clipboard. */
export function CopyButton({ text, label = 'Copy' }: CopyButtonProps) {
  const { toasts } = useServices()
  return (
    <IconButton label={label} onClick={() => void copyText(typeof text === 'string' ? text : text(), toasts)}>
      <Icon name="copy" />
    </IconButton>
  )
}
