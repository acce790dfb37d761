import type { ListedCase } from '../../contract/endpoints/project/kept-cases.ts'
import { shortJson } from '../json/parse-json.ts'
import { Menu } from '../ui/dialog/menu.tsx'
import type { MenuItem } from '../ui/dialog/menu.tsx'

const MAX_LENGTH = 70

interface Loaded<T> {
  readonly data?: T | undefined
  readonly isError: boolean
  readonly refetch: () => unknown
}

export interface InputsMenuProps {
  readonly examples: readonly unknown[]
  /** Loaded when the menu is opened, as are the recent inputs. */
  readonly cases: Loaded<readonly ListedCase[]>
  readonly recent?: Loaded<readonly unknown[]> | undefined
  readonly choose: (input: unknown) => void
}

/** Fills a form with an example, the input of a case, or one of the last inputs. */
export function InputsMenu({ examples, cases, recent, choose }: InputsMenuProps) {
  const known = new Set<string>()
  const itemOf = (input: unknown, from: string): MenuItem => {
    const text = JSON.stringify(input) ?? ''
    known.add(text)
    return { id: `${from} ${text}`, name: `${from} ${shortened(input)}`, run: () => choose(input) }
  }
  const own = [
    ...examples.map((input) => itemOf(input, 'Example')),
    ...(cases.data ?? []).map(({ path, input }) => itemOf(input, `Case ${caseName(path)}:`)),
  ]
  const items = [
    ...own,
    ...(recent?.data ?? []).flatMap((input) =>
      // a list leaves out large inputs
      input === undefined || known.has(JSON.stringify(input)) ? [] : [itemOf(input, 'Recent')],
    ),
  ]
  const sources = [cases, ...(recent ? [recent] : [])]
  const note = sources.some(({ isError }) => isError)
    ? 'Some inputs could not be loaded'
    : sources.some(({ data }) => data === undefined)
      ? 'Loading…'
      : items.length === 0 && 'No inputs yet'
  return (
    <Menu
      label="Inputs"
      onOpen={() => sources.forEach(({ refetch }) => void refetch())}
      items={[...items, ...(note === false ? [] : [{ name: note, run: () => undefined, disabled: true }])]}
    />
  )
}

/** `small` of `cases/expense/small.json`. */
function caseName(path: string): string {
  return path.replace(/^.*\//, '').replace(/\.json$/, '')
}

function shortened(input: unknown): string {
  const text = shortJson(input)
  return text.length > MAX_LENGTH ? `${text.slice(0, MAX_LENGTH - 1)}…` : text
}
