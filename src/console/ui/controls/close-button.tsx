import { IconButton } from './icon-button.tsx'
import { Icon } from '../icon.tsx'

/** Closes what it stands in, or takes it away: `label` says which. */
export function CloseButton({ label, onClick }: { readonly label: string; readonly onClick: () => void }) {
  return (
    <IconButton label={label} onClick={onClick}>
      <Icon name="close" />
    </IconButton>
  )
}
