import { Button } from '../../../ui/controls/button.tsx'
import { countText } from '../../../ui/time/format-time.ts'

export interface PagerProps {
  readonly page: number
  readonly pages: number
  readonly total: number
  readonly go: (page: number) => void
}

/** Page number and navigation. */
export function Pager({ page, pages, total, go }: PagerProps) {
  return (
    <div role="group" aria-label="Pages" className="ml-auto flex items-center gap-2 text-sm text-dim">
      <span>{`${countText(total)} ${total === 1 ? 'run' : 'runs'}, page ${countText(page)} of ${countText(pages)}`}</span>
      <Button size="small" disabled={page <= 1} onClick={() => go(page - 1)}>
        Newer
      </Button>
      <Button size="small" disabled={page >= pages} onClick={() => go(page + 1)}>
        Older
      </Button>
    </div>
  )
}
