import { createInterface } from 'node:readline/promises'

/** Whether somebody sits before the terminal who can be asked. */
export function canAsk(): boolean {
  return process.stdin.isTTY && process.stderr.isTTY
}

/** Asks on the terminal. Whatever is not a yes is a no. */
export async function confirm(question: string): Promise<boolean> {
  const lines = createInterface({ input: process.stdin, output: process.stderr })
  const closed = new Promise<string>((resolve) => {
    lines.once('close', () => resolve(''))
  })
  // Ctrl-C ends the command, as it does anywhere else
  lines.once('SIGINT', () => process.kill(process.pid, 'SIGINT'))
  try {
    const answer = await Promise.race([lines.question(`${question} (y/N) `), closed])
    return /^y(?:es)?$/i.test(answer.trim())
  } finally {
    lines.close()
  }
}
