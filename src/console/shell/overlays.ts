/** What lies over the page when it is asked for: one chunk, fetched when the page has come to rest. */
export { CommandPalette } from '../commands/command-palette.tsx'
export { CredentialsDialog } from './credentials-dialog.tsx'
export { FailureBar } from './failure-bar.tsx'
export { ShortcutSheet } from './shortcut-sheet.tsx'
