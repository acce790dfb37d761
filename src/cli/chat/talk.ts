import { createInterface } from 'node:readline'
import type { AgentStreamPart } from '../../contract/agent-event.ts'
import { EXIT, type ExitCode } from '../exit-code.ts'
import { printError } from '../print/error.ts'
import type { Terminal } from '../print/terminal.ts'
import { printAnswer } from './print-answer.ts'

/** Asks the agent, until the signal aborts. */
export type Say = (input: string, signal: AbortSignal) => AsyncIterable<AgentStreamPart>

const TWICE_MS = 2000

/**
 * A conversation on the terminal: a line is a question. Ctrl-C stops the answer that comes; twice in a row it
 * leaves, as Ctrl-D does.
 */
export async function talk(say: Say, terminal: Terminal): Promise<ExitCode> {
  const { notePaint: paint } = terminal
  const lines = createInterface({
    input: process.stdin,
    output: process.stderr,
    terminal: true,
    prompt: paint.bold('› '),
  })
  let answering: AbortController | undefined
  let interruptedAt = Number.NEGATIVE_INFINITY
  let exitCode: ExitCode = EXIT.done
  lines.on('SIGINT', () => {
    const now = performance.now()
    if (now - interruptedAt < TWICE_MS) {
      exitCode = EXIT.interrupted
      lines.close()
    } else if (!answering) {
      terminal.note(paint.dim('\nCtrl-C again, or Ctrl-D, leaves.'))
      lines.prompt()
    }
    interruptedAt = now
    answering?.abort()
  })
  lines.prompt()
  for await (const line of lines) {
    if (line.trim() !== '') {
      answering = new AbortController()
      await answer(say(line, answering.signal), { terminal, signal: answering.signal })
      answering = undefined
    }
    lines.prompt()
  }
  terminal.note('')
  return exitCode
}

/** What goes wrong with one answer doesn't end the conversation. */
async function answer(
  parts: AsyncIterable<AgentStreamPart>,
  { terminal, signal }: { terminal: Terminal; signal: AbortSignal },
): Promise<void> {
  try {
    await printAnswer(parts, terminal)
  } catch (error) {
    if (signal.aborted) terminal.note('\n(stopped)')
    else printError(error, terminal)
  }
}
