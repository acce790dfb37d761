import { Select as BaseSelect } from '@base-ui/react/select'
import { usePopupContainer } from '../dialog/dialog-context.ts'
import { Icon } from '../icon.tsx'
import { FIELD } from './text-field.tsx'

export interface SelectOption {
  readonly value: string
  readonly text: string
}

export interface SelectGroup {
  readonly label: string
  readonly options: readonly SelectOption[]
}

export interface SelectProps {
  /** For its `<label htmlFor>`. */
  readonly id: string
  readonly value: string
  readonly options: readonly SelectOption[]
  /** Further options under headings. */
  readonly groups?: readonly SelectGroup[]
  readonly onChange: (value: string) => void
  readonly invalid?: boolean
  /** Id of the note that describes it. */
  readonly describedBy?: string
  readonly className?: string
}

/** A choice of one option from a list that opens below it. A value that is no option is shown as it is. */
export function Select(props: SelectProps) {
  const { id, value, options, groups = [], onChange, invalid, describedBy, className = 'w-full' } = props
  const container = usePopupContainer()
  const all = [...options, ...groups.flatMap((group) => group.options)]
  return (
    <BaseSelect.Root
      id={id}
      value={value}
      onValueChange={(next) => {
        if (next !== null) onChange(next)
      }}
    >
      <BaseSelect.Trigger
        aria-invalid={invalid || undefined}
        aria-describedby={describedBy}
        className={`${FIELD} ${className} inline-flex items-center gap-2 text-left text-base data-popup-open:bg-hover`}
      >
        <BaseSelect.Value className="min-w-0 flex-1 truncate">
          {all.find((option) => option.value === value)?.text ?? value}
        </BaseSelect.Value>
        <Icon name="down" />
      </BaseSelect.Trigger>
      <BaseSelect.Portal container={container}>
        <BaseSelect.Positioner
          alignItemWithTrigger={false}
          positionMethod="fixed"
          sideOffset={2}
          collisionPadding={4}
          className="z-30 outline-none"
        >
          <BaseSelect.Popup className="max-h-(--available-height) min-w-(--anchor-width) max-w-(--available-width) overflow-auto rounded-md border border-line-strong bg-raised p-1 shadow-float outline-none">
            <BaseSelect.List>
              {options.map((option) => (
                <Option key={`${option.value} ${option.text}`} {...option} />
              ))}
              {groups.map(({ label, options: members }) => (
                <BaseSelect.Group key={label}>
                  <BaseSelect.GroupLabel className="px-2 pt-2 text-sm text-dim">
                    {label}
                  </BaseSelect.GroupLabel>
                  {members.map((option) => (
                    <Option key={option.value} {...option} />
                  ))}
                </BaseSelect.Group>
              ))}
            </BaseSelect.List>
          </BaseSelect.Popup>
        </BaseSelect.Positioner>
      </BaseSelect.Portal>
    </BaseSelect.Root>
  )
}

function Option({ value, text }: SelectOption) {
  return (
    <BaseSelect.Item
      value={value}
      className="group flex cursor-pointer items-center gap-2 rounded-sm py-1 pl-1 pr-3 outline-none data-highlighted:bg-hover data-highlighted:ring-2 data-highlighted:ring-accent data-highlighted:ring-inset"
    >
      <Icon name="ok" className="invisible group-data-selected:visible" />
      <BaseSelect.ItemText className="[overflow-wrap:anywhere]">{text}</BaseSelect.ItemText>
    </BaseSelect.Item>
  )
}
