import { useServices } from '../services/services-context.tsx'
import { Dialog } from '../ui/dialog/dialog.tsx'

/** The list of active shortcuts. */
export function ShortcutSheet({ close }: { readonly close: () => void }) {
  const { keys } = useServices()
  const bindings = keys.list()
  const groups = [...new Set(bindings.map(({ group }) => group))]
  return (
    <Dialog title="Keyboard shortcuts" close={close}>
      <div className="grid max-w-full grid-cols-2 gap-x-8 gap-y-3">
        {groups.map((group) => (
          <section key={group}>
            <h3 className="pb-1 text-sm font-semibold text-dim">{group}</h3>
            <dl>
              {bindings
                .filter((binding) => binding.group === group)
                .map(({ keys: name, label }) => (
                  <div key={name} className="flex justify-between gap-6 py-px">
                    <dt>{label}</dt>
                    <dd>
                      <kbd className="font-mono text-sm text-dim">{keysText(name)}</kbd>
                    </dd>
                  </div>
                ))}
            </dl>
          </section>
        ))}
      </div>
    </Dialog>
  )
}

function keysText(name: string): string {
  return name.replace('mod+', /Mac|iP/.test(navigator.platform) ? '⌘ ' : 'Ctrl ')
}
