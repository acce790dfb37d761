import { onTestFinished } from 'vitest'

/** Code that runs until the end of the test takes this system for Windows. Paths and files stay those of the real one. */
export function asWindows(): void {
  const own = Object.getOwnPropertyDescriptor(process, 'platform')
  Object.defineProperty(process, 'platform', { ...own, value: 'win32' })
  onTestFinished(() => void Object.defineProperty(process, 'platform', own ?? {}))
}
