import { useEffect, useId, useState } from 'react'
import type { KeyboardEvent } from 'react'
import { useServices } from '../services/services-context.tsx'
import { Dialog } from '../ui/dialog/dialog.tsx'
import type { Command } from './commands.ts'
import { pageCommands } from './page-commands.ts'
import { useCommands } from './use-commands.ts'

const MAX_SHOWN = 12

/** Finds pages, agents, workflows, executions and actions of the screen by name. */
export function CommandPalette({ close }: { readonly close: () => void }) {
  const services = useServices()
  const { commands } = services
  const [text, setText] = useState('')
  useCommands((query) => (query.trim() === '' ? [] : pageCommands(services, query.trim())))
  const [found, setFound] = useState<readonly Command[]>([])
  const [chosen, setChosen] = useState(0)
  const listId = useId()
  useEffect(() => {
    let current = true
    void commands.find(text).then((result) => {
      if (!current) return
      setFound(result.slice(0, MAX_SHOWN))
      setChosen(0)
    })
    return () => {
      current = false
    }
  }, [commands, text])
  const run = (command: Command | undefined) => {
    if (!command) return
    close()
    command.run()
  }
  const onKeyDown = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
    if (step !== undefined) {
      event.preventDefault()
      setChosen((old) => (old + step + found.length) % Math.max(1, found.length))
    } else if (event.key === 'Enter') run(found[chosen])
  }
  return (
    <Dialog title="Command palette" close={close} quiet>
      <input
        autoFocus
        role="combobox"
        aria-expanded="true"
        aria-controls={listId}
        aria-activedescendant={found.length > 0 ? `${listId}-${chosen}` : undefined}
        aria-label="Command"
        placeholder="Search pages and actions…"
        className="w-96 max-w-full border-b border-line bg-transparent p-2 outline-none"
        value={text}
        onChange={(event) => setText(event.target.value)}
        onKeyDown={onKeyDown}
      />
      <ul id={listId} role="listbox" aria-label="Commands" className="pt-1">
        {found.map((command, index) => (
          <li
            key={`${command.hint ?? ''} ${command.name}`}
            id={`${listId}-${index}`}
            role="option"
            aria-selected={index === chosen}
            className={`flex cursor-pointer justify-between gap-4 rounded-sm px-2 py-1 ${index === chosen ? 'bg-chosen' : ''}`}
            onMouseMove={() => setChosen(index)}
            onClick={() => run(command)}
          >
            {command.name} <span className="text-dim">{command.hint}</span>
          </li>
        ))}
      </ul>
      {found.length === 0 && <p className="p-2 text-dim">No results</p>}
    </Dialog>
  )
}
