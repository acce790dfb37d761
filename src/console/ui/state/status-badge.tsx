import { statusWord } from '../../../contract/status/status-word.ts'
import { Icon } from '../icon.tsx'
import type { IconName } from '../icon.tsx'

/** Icon and colour of each status of the API. */
const LOOKS: Readonly<Record<string, readonly [icon: IconName, tone: string]>> = {
  running: ['running', 'text-running'],
  login: ['suspended', 'text-suspended'],
  connecting: ['running', 'text-running'],
  suspended: ['suspended', 'text-suspended'],
  completed: ['ok', 'text-ok'],
  ok: ['ok', 'text-ok'],
  success: ['ok', 'text-ok'],
  ready: ['ok', 'text-ok'],
  error: ['error', 'text-error'],
  aborted: ['cancelled', 'text-cancelled'],
  cancelled: ['cancelled', 'text-cancelled'],
  skipped: ['skipped', 'text-cancelled'],
}

export { statusWord as statusText }

interface StatusBadgeProps {
  readonly status: string
  /** Text in place of the word for the status. */
  readonly text?: string
}

/** A status with icon and word: never by colour alone. */
export function StatusBadge({ status, text = statusWord(status) }: StatusBadgeProps) {
  const [icon, tone] = LOOKS[status] ?? ['idle', 'text-dim']
  return (
    <span className={`inline-flex items-center gap-1.5 whitespace-nowrap align-top align-middle ${tone}`}>
      <Icon name={icon} />
      {text}
    </span>
  )
}

/** The icon of a status, for places that give its word to screen readers separately. */
export function StatusIcon({ status }: { readonly status: string }) {
  const [icon, tone] = LOOKS[status] ?? ['idle', 'text-dim']
  return <Icon name={icon} className={tone} />
}

const TONES: Readonly<Record<string, string>> = {
  warn: 'text-suspended',
  error: 'text-error',
  fatal: 'text-error font-semibold',
  debug: 'text-dim',
  trace: 'text-dim',
}

/** The level of a log record in its colour. */
export function LogLevelMark({ level }: { readonly level: string }) {
  return <span className={TONES[level] ?? ''}>{level}</span>
}
