import { useEffect, useEffectEvent, useId, useImperativeHandle, useState } from 'react'
import type { Ref } from 'react'
import { useQuery } from '@tanstack/react-query'
import type { AgentDetail } from '../../../contract/endpoints/agent.ts'
import { CodeBlock } from '../../markdown/code-block.tsx'
import { ModelSettingsFields, useModelSettings } from '../../form/model-settings.tsx'
import { useServices } from '../../services/services-context.tsx'
import { Button, IconButton } from '../../ui/controls/button.tsx'
import { Segmented } from '../../ui/controls/segmented.tsx'
import { FIELD, TextField } from '../../ui/controls/text-field.tsx'
import { Dialog } from '../../ui/dialog/dialog.tsx'
import { Icon } from '../../ui/icon.tsx'
import { Pending } from '../../ui/state/states.tsx'
import { LabAnswer } from './lab-answer.tsx'
import { problemOf, toolNamesOf, trialOf } from './lab-draft.ts'
import type { LabColumn, LabDraft, LabMessage } from './lab-draft.ts'
import { useTrial } from './use-trial.ts'
import type { Trial } from './use-trial.ts'

/** What the screen does with all columns at once. */
export interface ColumnHandle {
  readonly run: () => void
  readonly stop: () => void
}

export interface LabColumnViewProps {
  readonly agent: AgentDetail
  readonly draft: LabDraft
  readonly column: LabColumn
  /** Its place, from 1. */
  readonly place: number
  /** Names of models to choose from. */
  readonly models: readonly string[]
  /** The recorded answer that its own is compared with. */
  readonly recorded: Trial | undefined
  readonly onChange: (change: Partial<LabColumn>) => void
  readonly duplicate: (() => void) | undefined
  readonly remove: (() => void) | undefined
  readonly runAll: () => void
  readonly handle: Ref<ColumnHandle>
}

/** One column of the lab: what is asked, and the answer. */
export function LabColumnView(props: LabColumnViewProps) {
  const { agent, draft, column, place, models, recorded, onChange, duplicate, remove, runAll, handle } = props
  const { instructions, messages, tools, model } = column
  const id = useId()
  const settings = useModelSettings(column.settings)
  const runner = useTrial(agent.id)
  const [isPatched, setPatched] = useState(false)
  const edited = JSON.stringify(settings.value)
  const keepSettings = useEffectEvent(() => {
    if (edited !== JSON.stringify(column.settings)) onChange({ settings: settings.value })
  })
  useEffect(() => keepSettings(), [edited])
  const problem = problemOf(column)
  const toolNames = toolNamesOf(agent)
  const run = () => {
    if (problem === undefined)
      settings.submit((valid) => runner.start(trialOf({ ...column, settings: valid }, draft)))
  }
  useImperativeHandle(handle, () => ({ run, stop: runner.stop }))
  return (
    <section aria-label={`Column ${place}`} className="flex min-w-0 flex-col gap-3 border-r border-line p-4">
      <div className="flex items-center gap-1">
        <h2 className="mr-auto font-semibold">Column {place}</h2>
        {duplicate && (
          <IconButton label={`Duplicate column ${place}`} onClick={duplicate}>
            <Icon name="copy" />
          </IconButton>
        )}
        {remove && (
          <IconButton label={`Remove column ${place}`} onClick={remove}>
            <Icon name="close" />
          </IconButton>
        )}
      </div>
      <div>
        <div className="flex items-end justify-between pb-0.5">
          <label htmlFor={id} className="text-sm text-dim">
            Instructions
          </label>
          {instructions.trim() !== '' && instructions !== agent.instructions && (
            <Button size="small" onClick={() => setPatched(true)}>
              Show as patch
            </Button>
          )}
        </div>
        <textarea
          id={id}
          value={instructions}
          rows={6}
          onChange={({ target }) => onChange({ instructions: target.value })}
          className={`${FIELD} field-sizing-content max-h-96`}
        />
      </div>
      <MessageFields messages={messages} onChange={(next) => onChange({ messages: next })} />
      <TextField
        label="Model"
        value={model}
        placeholder={agent.model === null ? 'as the agent' : `${agent.provider}/${agent.model}`}
        options={models}
        onChange={(next) => onChange({ model: next })}
      />
      {tools !== null && toolNames.length > 0 && (
        <ToolFields names={toolNames} chosen={tools} onChange={(next) => onChange({ tools: next })} />
      )}
      <details>
        <summary className="text-sm text-dim">
          Model settings{settings.count > 0 && ` (${settings.count})`}
        </summary>
        <div className="pt-2">
          <ModelSettingsFields settings={settings} onSubmit={runAll} />
        </div>
      </details>
      <div className="flex items-center gap-2">
        {runner.isBusy ? (
          <Button onClick={runner.stop}>
            <Icon name="stop" /> Stop
          </Button>
        ) : (
          <Button onClick={run} disabled={problem !== undefined}>
            <Icon name="play" /> Run
          </Button>
        )}
        {problem !== undefined && <span className="text-sm text-dim">{problem}</span>}
      </div>
      {runner.answer && (
        <LabAnswer
          trial={runner.answer}
          retry={run}
          label={`Answer of column ${place}`}
          recorded={recorded}
        />
      )}
      {isPatched && (
        <PatchDialog agentId={agent.id} instructions={instructions} close={() => setPatched(false)} />
      )}
    </section>
  )
}

const ROLES = [
  ['user', 'User'],
  ['assistant', 'Agent'],
] as const

interface MessageFieldsProps {
  readonly messages: readonly LabMessage[]
  readonly onChange: (messages: readonly LabMessage[]) => void
}

/** The messages of a column, each with its role. */
function MessageFields({ messages, onChange }: MessageFieldsProps) {
  const put = (index: number, change: Partial<LabMessage>) =>
    onChange(messages.map((message, at) => (at === index ? { ...message, ...change } : message)))
  return (
    <fieldset className="flex flex-col gap-2">
      <legend className="pb-0.5 text-sm text-dim">Messages</legend>
      {messages.map(({ role, text }, index) => (
        <div key={index} className="flex flex-col gap-1">
          <div className="flex items-center justify-between">
            <Segmented
              label={`Role of message ${index + 1}`}
              options={ROLES}
              value={role}
              onChange={(next) => put(index, { role: next })}
            />
            <IconButton
              label={`Remove message ${index + 1}`}
              onClick={() => onChange(messages.filter((_, at) => at !== index))}
            >
              <Icon name="close" />
            </IconButton>
          </div>
          <textarea
            aria-label={`Message ${index + 1}`}
            value={text}
            rows={3}
            onChange={({ target }) => put(index, { text: target.value })}
            className={`${FIELD} field-sizing-content max-h-64`}
          />
        </div>
      ))}
      <div>
        <Button size="small" onClick={() => onChange([...messages, { role: 'user', text: '' }])}>
          <Icon name="plus" /> Add message
        </Button>
      </div>
    </fieldset>
  )
}

interface ToolFieldsProps {
  /** Names of all tools of the agent. */
  readonly names: readonly string[]
  readonly chosen: readonly string[]
  readonly onChange: (names: readonly string[]) => void
}

/** The tools that a column has. */
function ToolFields({ names, chosen, onChange }: ToolFieldsProps) {
  const toggle = (name: string, isOn: boolean) =>
    onChange(names.filter((one) => (one === name ? isOn : chosen.includes(one))))
  return (
    <fieldset>
      <legend className="pb-0.5 text-sm text-dim">Tools</legend>
      <div className="flex flex-wrap gap-x-4">
        {names.map((name) => (
          <label key={name} className="flex min-h-6 items-center gap-1.5 font-mono text-sm">
            <input
              type="checkbox"
              checked={chosen.includes(name)}
              onChange={({ target }) => toggle(name, target.checked)}
            />
            {name}
          </label>
        ))}
      </div>
    </fieldset>
  )
}

interface PatchDialogProps {
  readonly agentId: string
  readonly instructions: string
  readonly close: () => void
}

/** The change of the source file that gives the agent the instructions of a column. */
function PatchDialog({ agentId, instructions, close }: PatchDialogProps) {
  const { api } = useServices()
  const { data, error, refetch } = useQuery({
    queryKey: ['patchInstructions', agentId, instructions],
    queryFn: ({ signal }) =>
      api.call('patchInstructions', { params: { id: agentId }, body: { instructions }, signal }),
  })
  return (
    <Dialog title="Instructions as a patch" close={close}>
      <div className="flex w-[48rem] max-w-full flex-col gap-2">
        {!data && <Pending error={error} retry={() => void refetch()} />}
        {data && typeof data.patch === 'string' && (
          <>
            <p className="text-dim">
              Copy it, and apply it in the project with <code className="font-mono">git apply</code>.
            </p>
            <CodeBlock text={data.patch} language="diff" />
          </>
        )}
        {data?.patch === null && (
          <>
            <p>There is no patch. {data.reason}.</p>
            <CodeBlock text={instructions} language="" />
          </>
        )}
      </div>
    </Dialog>
  )
}
