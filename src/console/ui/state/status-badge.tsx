import { Icon } from '../icon.tsx'
import type { IconName } from '../icon.tsx'

/** What any status looks like: a sign, a colour, a word. */
const LOOKS: Readonly<Record<string, readonly [sign: IconName, tone: string]>> = {
  running: ['running', 'text-running'],
  connecting: ['running', 'text-running'],
  suspended: ['suspended', 'text-suspended'],
  completed: ['ok', 'text-ok'],
  ok: ['ok', 'text-ok'],
  ready: ['ok', 'text-ok'],
  error: ['error', 'text-error'],
  aborted: ['cancelled', 'text-cancelled'],
  cancelled: ['cancelled', 'text-cancelled'],
  skipped: ['skipped', 'text-cancelled'],
}

export interface StatusBadgeProps {
  readonly status: string
  /** Another word for it. */
  readonly text?: string
}

/** A status, never by colour alone. */
export function StatusBadge({ status, text = status }: StatusBadgeProps) {
  const [sign, tone] = LOOKS[status] ?? ['idle', 'text-dim']
  return (
    <span className={`inline-flex items-center gap-1.5 whitespace-nowrap align-top align-middle ${tone}`}>
      <Icon name={sign} />
      {text}
    </span>
  )
}

/** The sign of a status alone, where its word stands beside it for whoever can't see it. */
export function StatusSign({ status }: { readonly status: string }) {
  const [sign, tone] = LOOKS[status] ?? ['idle', 'text-dim']
  return <Icon name={sign} className={tone} />
}
