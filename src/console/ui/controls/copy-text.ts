import type { Toasts } from '../dialog/toasts.ts'

/** Copies a text to the clipboard, and says how that went. */
export async function copyText(text: string, toasts: Toasts): Promise<void> {
  try {
    await navigator.clipboard.writeText(text)
    toasts.info('Copied')
  } catch {
    // browsers give the clipboard to pages of this machine and of https alone
    toasts.error('The browser does not let this page copy')
  }
}
