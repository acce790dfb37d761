import { Button } from '../ui/controls/button.tsx'
import { countText } from '../ui/time/format-time.ts'

export interface NewRecordsButtonProps {
  readonly count: number
  readonly onClick: () => void
}

/** Over the end of a log: shows the records that have come meanwhile, or goes to the newest. */
export function NewRecordsButton({ count, onClick }: NewRecordsButtonProps) {
  return (
    <div className="absolute bottom-2 left-1/2 z-2 -translate-x-1/2">
      <Button onClick={onClick}>
        {count > 0 ? `${countText(count)} new record${count === 1 ? '' : 's'}` : 'Jump to newest'}
      </Button>
    </div>
  )
}
