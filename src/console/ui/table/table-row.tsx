import type { MouseEvent } from 'react'
import { escapeNode } from '../escape-text.ts'
import { parts } from './row-layout.ts'
import type { PlacedColumn, RowLayout } from './row-layout.ts'

export function HeaderRow<T>({ layout: { columns, isList, style } }: { readonly layout: RowLayout<T> }) {
  return (
    <div role="rowgroup" className={isList ? 'sr-only' : 'sticky top-0 z-1 border-b border-line bg-panel'}>
      <div
        role="row"
        aria-rowindex={1}
        style={style}
        className="grid h-7 items-center gap-x-4 px-4 text-sm text-dim"
      >
        {columns.map(({ name, align, quiet }) => (
          <div key={name} role="columnheader" className={`truncate ${align === 'right' ? 'text-right' : ''}`}>
            {quiet ? <span className="sr-only">{name}</span> : name}
          </div>
        ))}
      </div>
    </div>
  )
}

export interface TableRowProps<T> {
  readonly id: string
  readonly layout: RowLayout<T>
  readonly index: number
  /** Undefined while it is loaded. */
  readonly item: T | undefined
  readonly isChosen: boolean
  readonly isActive: boolean
  readonly select: (index: number) => void
  readonly open: ((item: T) => void) | undefined
}

export function TableRow<T>(props: TableRowProps<T>) {
  const { id, layout, index, item, isChosen, isActive, select, open } = props
  const { isList, height, style } = layout
  const arrangement = isList ? 'flex flex-wrap content-start gap-x-2 overflow-hidden py-1.5' : 'grid gap-x-4'
  const follow = (event: MouseEvent) => {
    select(index)
    const inLink = event.target instanceof Element && event.target.closest('a, button, input')
    if (item !== undefined && !inLink && getSelection()?.isCollapsed !== false) open?.(item)
  }
  return (
    <div
      id={id}
      role="row"
      aria-rowindex={index + 2}
      aria-selected={isChosen}
      style={{ ...style, height, transform: `translateY(${index * height}px)` }}
      className={`absolute inset-x-0 top-0 items-center border-b border-line px-4 hover:bg-hover aria-selected:bg-chosen ${arrangement} ${isActive ? 'group-focus-visible/table:bg-chosen' : ''} ${open ? 'cursor-pointer' : ''}`}
      onClick={follow}
    >
      {layout.columns.map((column) => (
        <Cell key={column.name} column={column} item={item} isList={isList} />
      ))}
    </div>
  )
}

interface CellProps<T> {
  readonly column: PlacedColumn<T>
  readonly item: T | undefined
  readonly isList: boolean
}

const PLACES = {
  head: 'h-6 max-w-full',
  line: 'h-5 w-full text-sm',
  half: 'h-5 w-[calc(50%-0.25rem)] text-sm',
}

function Cell<T>({ column: { name, align, quiet, cell, place, width }, item, isList }: CellProps<T>) {
  // texts of users, of models and of tools: none may change how the row around it reads
  const content = item === undefined ? '' : escapeNode(cell(item))
  if (!isList)
    return (
      <div role="gridcell" className={`truncate ${align === 'right' ? 'text-right' : ''}`}>
        {content}
      </div>
    )
  const hasContent = item === undefined || ![undefined, null, false, ''].includes(content as string)
  const naming = place === 'head' && parts(width) > 0 ? 'min-w-0 flex-[1_1_55%] font-medium' : ''
  return (
    <div role="gridcell" className={`truncate ${PLACES[place]} ${naming}`}>
      {/* the column headers are read with the cells, so the names are for the eye */}
      {place !== 'head' && !quiet && hasContent && (
        <span aria-hidden="true" className="pr-1.5 text-dim">
          {name}
        </span>
      )}
      {content}
    </div>
  )
}
