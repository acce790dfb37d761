import { useServices } from '../services/services-context.tsx'
import { Dialog } from '../ui/dialog/dialog.tsx'
import { useSyncExternalStore } from 'react'
import { DiscardQuestion } from '../ui/dialog/discard-question.tsx'

// one chunk, loaded after the first screen; this module re-exports what it has beside its own
export { SearchDialog } from '../search/search-dialog.tsx'
export { CredentialsDialog } from './credentials-dialog.tsx'
export { FailureBar } from './failure-bar.tsx'
export { FixBar } from '../failures/fix-bar.tsx'
export { ControlTooltip } from '../ui/controls/control-tooltip.tsx'
export { ToastList } from '../ui/dialog/toast-list.tsx'

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

/** Asks before a page with an edited form is left. */
export function UnsavedQuestion() {
  const { unsaved } = useServices().router
  const asked = useSyncExternalStore(unsaved.subscribe, unsaved.asked)
  return asked && <DiscardQuestion keep={unsaved.keep} discard={unsaved.discard} />
}
