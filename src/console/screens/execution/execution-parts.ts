export { ExecutionActions } from './actions/execution-actions.tsx'
export { ReplayDialog } from './actions/replay-dialog.tsx'
export { ExecutionView } from './execution-view.tsx'
export { FileChooser } from './parts/file-chooser.tsx'
