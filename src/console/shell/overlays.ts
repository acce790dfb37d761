// one chunk, loaded after the first screen
export { SearchDialog } from '../search/search-dialog.tsx'
export { CredentialsDialog } from './credentials-dialog.tsx'
export { FailureBar } from './failure-bar.tsx'
export { ShortcutSheet } from './shortcut-sheet.tsx'
export { UnsavedQuestion } from './unsaved-question.tsx'
export { ControlTooltip } from '../ui/controls/control-tooltip.tsx'
export { ToastList } from '../ui/dialog/toast-list.tsx'
