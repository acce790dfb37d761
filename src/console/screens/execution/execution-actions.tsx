import { useState } from 'react'
import type { ExecutionDetail } from '../../../contract/endpoints/execution.ts'
import { useServices } from '../../services/services-context.tsx'
import { useCommands } from '../../search/use-commands.ts'
import { KeepCaseDialog } from '../evals/keep-case-dialog.tsx'
import { usePinAction } from '../../pins/pinned-bar.tsx'
import { useKeys } from '../../keys/use-keys.ts'
import { Button, copyText } from '../../ui/controls/button.tsx'
import { NARROW, ROOMY, useMedia } from '../../ui/layout/use-media.ts'
import { Menu } from '../../ui/dialog/menu.tsx'
import { saveFile } from '../../ui/controls/save-file.ts'
import type { FollowedExecution } from '../../execution/use-execution.ts'
import { executionFile } from './execution-file.ts'
import { readItemKey } from './run/item-keys.ts'
import { isFinal } from '../../../contract/is-final.ts'
import { asClientCode, asCommand, asCurl, useCopyTarget } from '../../execution/copy-as.ts'
import { fillRunForm } from '../../execution/saved-run.ts'
import { CancelDialog, SuspendDialog } from '../../execution/end-dialogs.tsx'

export interface ExecutionActionsProps {
  readonly record: ExecutionDetail
  readonly live: FollowedExecution
  /** Opens the dialog, for the selected step if there is one. */
  readonly replay: (stepId: string | undefined) => void
  readonly compare: () => void
}

/** The actions on an execution, as buttons, menu, shortcuts and commands. */
export function ExecutionActions({ record, live, replay: replayFrom, compare }: ExecutionActionsProps) {
  const { router, toasts } = useServices()
  const target = useCopyTarget(record.workflowId)
  const isRoomy = useMedia(ROOMY)
  const isNarrow = useMedia(NARROW)
  const pin = usePinAction(record, chosenStep(record))
  const [asking, setAsking] = useState<'cancel' | 'suspend' | 'keep'>()
  const { status, id } = record
  const isOpen = !isFinal(status)
  const replay = () => replayFrom(chosenStep(record))
  const copy = (text: string) => void copyText(text, toasts)
  const copyLink = () => copy(router.url(`executions/${encodeURIComponent(id)}${location.search}`))
  const copyCurl = () => copy(asCurl(record, target))
  const group = 'Run'
  useKeys([
    { keys: 'r', label: 'Replay from step', group, run: replay },
    { keys: 'y', label: 'Copy link', group, run: copyLink },
    { keys: 'Y', label: 'Copy as curl', group, run: copyCurl },
    ...(isOpen
      ? [
          { keys: 'c', label: 'Cancel', group, run: () => setAsking('cancel') },
          { keys: 'Space', label: 'Pause or resume updates', group, run: live.togglePause },
        ]
      : []),
  ])
  const pauseText = live.paused ? `Resume updates (${live.waiting} new)` : 'Pause updates'
  const suspend = { name: 'Suspend', run: () => setAsking('suspend') }
  const canReplay = record.steps.length > 0
  // what does not fit is in the menu
  const folded = [
    ...(isNarrow && isOpen ? [{ name: 'Cancel', run: () => setAsking('cancel') }] : []),
    ...(isNarrow && canReplay ? [{ name: 'Replay', run: replay }] : []),
    ...(!isRoomy && isOpen && !live.paused ? [{ name: pauseText, run: live.togglePause }] : []),
    ...(!isRoomy && status === 'running' ? [suspend] : []),
    ...(!isRoomy && pin ? [pin] : []),
  ]
  const items = [
    ...(isOpen ? [] : [{ name: 'Keep as case', run: () => setAsking('keep') }]),
    { name: 'Run again with this input', run: () => void router.navigate(fillRunForm(record)) },
    { name: 'Compare', run: compare },
    { name: 'Copy link', run: copyLink },
    { name: 'Copy as curl', run: copyCurl },
    { name: 'Copy as CLI command', run: () => copy(asCommand(record, target)) },
    { name: 'Copy as client code', run: () => copy(asClientCode(record, target)) },
    {
      name: 'Export as JSON',
      run: () => saveFile(`${record.workflowId}-${id}.json`, executionFile(record)),
    },
    { name: 'Open exported file', run: () => void router.navigate('executions/file/open') },
  ]
  useCommands(() => [
    { name: 'Replay from step', group: 'This page', run: replay },
    ...(isOpen ? [{ name: 'Cancel', group: 'This page' as const, run: () => setAsking('cancel') }] : []),
    ...(pin ? [{ ...pin, name: `${pin.name} run`, group: 'This page' as const }] : []),
    ...items.map(({ name, run }) => ({ name, group: 'This page' as const, run })),
  ])
  return (
    <>
      {isOpen && (isRoomy || live.paused) && (
        <Button onClick={live.togglePause} keys="Space">
          {pauseText}
        </Button>
      )}
      {isRoomy && status === 'running' && <Button onClick={suspend.run}>{suspend.name}</Button>}
      {!isNarrow && isOpen && (
        <Button kind="danger" onClick={() => setAsking('cancel')} keys="c">
          Cancel
        </Button>
      )}
      {!isNarrow && (
        <Button onClick={replay} keys="r" disabled={!canReplay}>
          Replay
        </Button>
      )}
      {isRoomy && pin && (
        <Button onClick={pin.run} title={pin.title}>
          {pin.name}
        </Button>
      )}
      <Menu label="Actions" items={[...folded, ...items]} />
      {asking === 'cancel' && (
        <CancelDialog record={record} refetch={live.refetch} close={() => setAsking(undefined)} />
      )}
      {asking === 'keep' && <KeepCaseDialog run={{ executionId: id }} close={() => setAsking(undefined)} />}
      {asking === 'suspend' && (
        <SuspendDialog record={record} refetch={live.refetch} close={() => setAsking(undefined)} />
      )}
    </>
  )
}

/** The id of the step that is selected in the address, itself or by one of its attempts. */
function chosenStep({ steps }: ExecutionDetail): string | undefined {
  const key = readItemKey(new URLSearchParams(location.search).get('step') ?? '')
  return 'path' in key ? steps.find(({ path }) => path === key.path)?.stepId : undefined
}
