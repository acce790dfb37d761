import { createInterface } from 'node:readline/promises'
import { Writable } from 'node:stream'
import type { Terminal } from '../print/terminal.ts'

export interface PromptOptions {
  /** Do not display typed characters. */
  readonly hidden?: boolean
}

/** Whether the command runs in a terminal, so that the user can be prompted. */
export function canPrompt({ stdin, stderr }: Terminal): boolean {
  return Boolean(stdin.isTTY && stderr.isTTY)
}

/** Prompts in the terminal. Returns an empty string if the input ends. */
export async function prompt(
  question: string,
  { stdin, stderr }: Terminal,
  { hidden = false }: PromptOptions = {},
): Promise<string> {
  const output = hidden ? nullOutput() : stderr
  const lines = createInterface({ input: stdin, output, terminal: true })
  const closed = new Promise<string>((resolve) => {
    lines.once('close', () => resolve(''))
  })
  // readline intercepts Ctrl-C; process.kill() would end this process at once on Windows, with nothing closed
  lines.once('SIGINT', () => process.emit('SIGINT', 'SIGINT'))
  // printed after readline has disabled echo, so that nothing typed is displayed
  if (hidden) stderr.write(`${question} `)
  try {
    return (await Promise.race([lines.question(hidden ? '' : `${question} `), closed])).trim()
  } finally {
    lines.close()
    if (hidden) stderr.write('\n')
  }
}

/** Prompts in the terminal. Returns `undefined` if the input ends, or the user presses Ctrl-C. */
export async function promptOrLeave(
  question: string,
  { stdin, stderr }: Terminal,
): Promise<string | undefined> {
  const lines = createInterface({ input: stdin, output: stderr, terminal: true })
  const left = new Promise<undefined>((resolve) => {
    lines.once('close', () => resolve(undefined))
    lines.once('SIGINT', () => resolve(undefined))
  })
  try {
    return await Promise.race([lines.question(`${question} `), left])
  } finally {
    lines.close()
  }
}

/** Prompts for yes or no. The default is no. */
export async function confirm(question: string, terminal: Terminal): Promise<boolean> {
  return /^y(?:es)?$/i.test(await prompt(`${question} (y/N)`, terminal))
}

function nullOutput(): Writable {
  return new Writable({ write: (_chunk, _encoding, done) => done() })
}
