import { emitKeypressEvents } from 'node:readline'
import type { ReadStream } from 'node:tty'

export interface Keypress {
  /** Such as `c`, `return` or `up`. Undefined for most symbols. */
  readonly name?: string
  readonly ctrl: boolean
  readonly sequence: string
}

export interface KeyboardOptions {
  readonly onKey: (key: Keypress) => void
  /** Called when reading starts or resumes. */
  readonly onReading: () => void
  /** Ctrl-C. In raw mode the terminal sends no signal. */
  readonly onInterrupt: () => void
}

const RESUME_DELAY_MS = 50

/**
 * Reads single keys from the terminal until the returned function is called. Ctrl-Z and `fg` work as usual. A
 * background job does not read, because that would stop it.
 */
export async function readKeys(
  input: ReadStream,
  { onKey, onReading, onInterrupt }: KeyboardOptions,
): Promise<() => void> {
  let reading = false
  let ended = false
  const start = async () => {
    const foreground = await isForeground()
    if (!foreground || reading || ended) return
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
    // stop the whole foreground process group, as the terminal does
    process.kill(0, 'SIGTSTP')
    // an orphaned process group is not stopped, so reading resumes by itself
    setTimeout(() => void start(), RESUME_DELAY_MS)
  }
  const onKeypress = (_: string | undefined, key: Keypress) => {
    if (key.ctrl && key.name === 'c') onInterrupt()
    else if (key.ctrl && key.name === 'z') pause()
    else onKey(key)
  }
  const onContinue = () => void start()
  emitKeypressEvents(input)
  input.on('keypress', onKeypress)
  input.pause()
  process.on('SIGCONT', onContinue)
  await start()
  return () => {
    ended = true
    stop()
    input.off('keypress', onKeypress)
    process.off('SIGCONT', onContinue)
  }
}

/** Whether this process is in the foreground. Always true on systems without job control. */
async function isForeground(): Promise<boolean> {
  if (process.platform === 'win32') return true
  const { execa } = await import('execa')
  const { failed, stdout } = await execa('ps', ['-o', 'stat=', '-p', String(process.pid)], { reject: false })
  return failed || stdout.includes('+')
}
