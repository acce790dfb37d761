export { ExecutionActions } from './execution-actions.tsx'
export { ReplayDialog } from './replay-dialog.tsx'
export { ExecutionView } from './execution-view.tsx'
export { FileChooser } from './file-chooser.tsx'
