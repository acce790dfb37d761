import { createInterface } from 'node:readline/promises'
import { Writable } from 'node:stream'

export interface PromptOptions {
  /** What is typed is not shown. */
  readonly hidden?: boolean
}

/** Whether somebody sits before the terminal who can be asked. */
export function canPrompt(): boolean {
  return process.stdin.isTTY && process.stderr.isTTY
}

/** Asks on the terminal. The end of the input is an empty answer. */
export async function prompt(question: string, { hidden = false }: PromptOptions = {}): Promise<string> {
  const output = hidden ? silence() : process.stderr
  const lines = createInterface({ input: process.stdin, output, terminal: true })
  const closed = new Promise<string>((resolve) => {
    lines.once('close', () => resolve(''))
  })
  // Ctrl-C ends the command, as it does anywhere else
  lines.once('SIGINT', () => process.kill(process.pid, 'SIGINT'))
  // not before: until now the terminal shows by itself what is typed
  if (hidden) process.stderr.write(`${question} `)
  try {
    return (await Promise.race([lines.question(hidden ? '' : `${question} `), closed])).trim()
  } finally {
    lines.close()
    if (hidden) process.stderr.write('\n')
  }
}

/** Asks on the terminal. Whatever is not a yes is a no. */
export async function confirm(question: string): Promise<boolean> {
  return /^y(?:es)?$/i.test(await prompt(`${question} (y/N)`))
}

function silence(): Writable {
  return new Writable({ write: (_chunk, _encoding, done) => done() })
}
