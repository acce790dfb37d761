import { Button } from '../../ui/controls/button.tsx'
import { IconButton } from '../../ui/controls/icon-button.tsx'
import { Icon } from '../../ui/icon.tsx'
import { FIELD } from '../../ui/controls/text-field.tsx'
import { Segmented } from '../../ui/controls/segmented.tsx'
import type { LabMessage } from './lab-draft.ts'

const ROLES = [
  ['user', 'User'],
  ['assistant', 'Agent'],
] as const

export interface MessageFieldsProps {
  readonly messages: readonly LabMessage[]
  readonly onChange: (messages: readonly LabMessage[]) => void
}

/** The messages of a column, each with its role. */
export function MessageFields({ messages, onChange }: MessageFieldsProps) {
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
