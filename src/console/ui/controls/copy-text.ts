import type { Toasts } from '../dialog/toasts.ts'

/** Copies a text to the clipboard and shows a toast. */
export async function copyText(text: string, toasts: Toasts): Promise<void> {
  try {
    await navigator.clipboard.writeText(text)
    toasts.info('Copied to clipboard')
  } catch {
    // browsers allow the clipboard only on localhost and https
    toasts.error('The browser denied access to the clipboard')
  }
}
