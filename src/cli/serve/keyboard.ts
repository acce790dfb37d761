import { emitKeypressEvents } from 'node:readline'
import type { ReadStream } from 'node:tty'

export interface Keypress {
  /** `c`, `return`, `up`; none for most signs. */
  readonly name?: string
  readonly ctrl: boolean
  readonly sequence: string
}

export interface KeyboardOptions {
  readonly onKey: (key: Keypress) => void
  /** Keys are read from now on, or again. */
  readonly onReading: () => void
  /** Ctrl-C: while keys are read one by one, the terminal itself sends no signal. */
  readonly onInterrupt: () => void
}

const STOPPED_MS = 50

/**
 * Reads keys one by one from the terminal, until the returned function is called. Ctrl-Z and `fg` work as ever.
 * Whoever does not own the terminal, as a job in the background, is not stopped for reading from it.
 */
export async function readKeys(
  input: ReadStream,
  { onKey, onReading, onInterrupt }: KeyboardOptions,
): Promise<() => void> {
  let reading = false
  let ended = false
  const start = async () => {
    const owns = await ownsTerminal()
    if (!owns || reading || ended) return
    reading = true
    input.setRawMode(true)
    input.resume()
    onReading()
  }
  const stop = () => {
    if (!reading) return
    reading = false
    input.setRawMode(false)
    input.pause()
  }
  const pause = () => {
    if (process.platform === 'win32') return
    stop()
    // all that runs in the foreground, as the terminal would
    process.kill(0, 'SIGTSTP')
    // where nobody could continue it, the system lets nothing stop
    setTimeout(() => void start(), STOPPED_MS)
  }
  const pressed = (_: string | undefined, key: Keypress) => {
    if (key.ctrl && key.name === 'c') onInterrupt()
    else if (key.ctrl && key.name === 'z') pause()
    else onKey(key)
  }
  const continued = () => void start()
  emitKeypressEvents(input)
  input.on('keypress', pressed)
  input.pause()
  process.on('SIGCONT', continued)
  await start()
  return () => {
    ended = true
    stop()
    input.off('keypress', pressed)
    process.off('SIGCONT', continued)
  }
}

/** Whether this process is in the foreground: systems without job control know nothing else. */
async function ownsTerminal(): Promise<boolean> {
  if (process.platform === 'win32') return true
  const { execa } = await import('execa')
  const { failed, stdout } = await execa('ps', ['-o', 'stat=', '-p', String(process.pid)], { reject: false })
  return failed || stdout.includes('+')
}
