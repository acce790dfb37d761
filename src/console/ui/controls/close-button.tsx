import { IconButton } from './icon-button.tsx'
import { Icon } from '../icon.tsx'

/** An icon button to close or remove something, named by `label`. */
export function CloseButton({ label, onClick }: { readonly label: string; readonly onClick: () => void }) {
  return (
    <IconButton label={label} onClick={onClick}>
      <Icon name="close" />
    </IconButton>
  )
}
