import { Menu as BaseMenu } from '@base-ui/react/menu'
import { usePopupContainer } from './dialog-context.ts'
import { Icon } from '../icon.tsx'

export interface MenuItem {
  /** Where several have the same name. */
  readonly id?: string
  readonly name: string
  readonly run: () => void
  readonly disabled?: boolean
}

export interface MenuProps {
  readonly label: string
  readonly items: readonly MenuItem[]
  /** Called when it is opened. */
  readonly onOpen?: (() => void) | undefined
}

/** A button that opens a list of actions. */
export function Menu({ label, items, onOpen }: MenuProps) {
  const container = usePopupContainer()
  return (
    <BaseMenu.Root onOpenChange={(isOpen) => isOpen && onOpen?.()}>
      <BaseMenu.Trigger className="inline-flex items-center gap-1 whitespace-nowrap rounded-sm border border-line-strong bg-raised px-3 py-1 font-medium hover:bg-hover data-popup-open:bg-hover">
        {label} <Icon name="down" />
      </BaseMenu.Trigger>
      <BaseMenu.Portal container={container}>
        <BaseMenu.Positioner
          positionMethod="fixed"
          align="end"
          sideOffset={2}
          collisionPadding={4}
          className="z-30 outline-none"
        >
          <BaseMenu.Popup className="max-h-(--available-height) min-w-40 overflow-auto rounded-md border border-line-strong bg-raised p-1 shadow-float outline-none">
            {items.map(({ name, id = name, run, disabled = false }) => (
              <BaseMenu.Item
                key={id}
                disabled={disabled}
                onClick={run}
                className="cursor-pointer rounded-sm px-2 py-1 outline-none data-disabled:cursor-default data-disabled:opacity-50 data-highlighted:bg-hover data-highlighted:ring-2 data-highlighted:ring-accent data-highlighted:ring-inset"
              >
                {name}
              </BaseMenu.Item>
            ))}
          </BaseMenu.Popup>
        </BaseMenu.Positioner>
      </BaseMenu.Portal>
    </BaseMenu.Root>
  )
}
