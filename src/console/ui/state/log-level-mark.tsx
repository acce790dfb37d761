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
