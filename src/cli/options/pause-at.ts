import type { Command } from 'commander'

/** Declares the option for breakpoints. */
export function pauseAtOption(command: Command): Command {
  return command.option(
    '--pause-at <steps>',
    'suspend before these steps: ids separated by commas, or * for every step; "" for none',
  )
}

/** The breakpoints of the options; `undefined` when there are none. */
export function readPauseAt({ pauseAt }: Readonly<Record<string, unknown>>): string[] | undefined {
  if (typeof pauseAt !== 'string') return undefined
  return pauseAt
    .split(',')
    .map((id) => id.trim())
    .filter((id) => id !== '')
}
