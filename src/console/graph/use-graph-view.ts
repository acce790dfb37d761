import { useReactFlow, useStore } from '@xyflow/react'
import { useEffect, useEffectEvent } from 'react'
import type { StepDescription } from '../../contract/endpoints/workflow.ts'
import type { Box, Boxes, GraphLayout } from './graph-layout.ts'
import type { StepState, StepStates } from './step-states.ts'
import type { FlatStep } from './step-tree.ts'

export const ZOOM = { smallest: 0.02, largest: 2, readable: 0.7 } as const
const MARGIN = 24

/** Pan and zoom of the graph. */
export function useView({ boxes, size }: GraphLayout, moved: { current: boolean }) {
  const flow = useReactFlow()
  const width = useStore((state) => state.width)
  const height = useStore((state) => state.height)
  const fit = () => {
    moved.current = false
    void flow.fitView({ padding: `${MARGIN}px`, maxZoom: 1 })
  }
  /** Shows the whole graph if it is readable at that zoom, else its beginning at full width. */
  const start = useEffectEvent(() => {
    const wide = Math.min(1, (width - 2 * MARGIN) / Math.max(1, size.width))
    const whole = Math.min(wide, (height - 2 * MARGIN) / Math.max(1, size.height))
    const zoom = whole < ZOOM.readable ? Math.max(wide, ZOOM.readable) : whole
    const y = Math.max(MARGIN, (height - size.height * zoom) / 2)
    void flow.setViewport({ x: (width - size.width * zoom) / 2, y: whole < zoom ? MARGIN : y, zoom })
  })
  const isSized = width > 0 && height > 0
  useEffect(() => {
    if (isSized && !moved.current) start()
  }, [boxes, isSized, width, moved])
  /** Scrolls a box into view if it is not visible. */
  const show = (box: Box) => {
    const { x, y, zoom } = flow.getViewport()
    const left = box.x * zoom + x
    const top = box.y * zoom + y
    const inView =
      left >= 0 && top >= 0 && left + box.width * zoom <= width && top + box.height * zoom <= height
    if (!inView) void flow.setCenter(box.x + box.width / 2, box.y + box.height / 2, { zoom })
  }
  const zoom = (by: 'zoomIn' | 'zoomOut') => () => {
    moved.current = true
    void flow[by]()
  }
  return {
    fit,
    height,
    zoomIn: zoom('zoomIn'),
    zoomOut: zoom('zoomOut'),
    pan: (dx: number, dy: number) => {
      const { x, y, zoom } = flow.getViewport()
      moved.current = true
      void flow.setViewport({ x: x + dx, y: y + dy, zoom })
    },
    show: (path: string) => {
      const box = absolute(boxes, path)
      if (box) show(box)
    },
  }
}

function absolute(boxes: Boxes, path: string): Box | undefined {
  const box = boxes.get(path)
  const slash = path.lastIndexOf('/')
  const outer = slash === -1 ? undefined : absolute(boxes, path.slice(0, slash))
  return box && { ...box, x: box.x + (outer?.x ?? 0), y: box.y + (outer?.y ?? 0) }
}

interface Following {
  readonly states: StepStates
  readonly chosen: string | undefined
  /** Whether the user has panned or zoomed: then the graph follows no more. */
  readonly moved: { readonly current: boolean }
  readonly show: (path: string) => void
  /** Visible height. */
  readonly height: number
}

/** Keeps the selected step in view and, until the user moves the graph, the running one. */
export function useFollowActive(placed: readonly FlatStep[], following: Following): void {
  const { states, chosen, moved, height } = following
  const show = useEffectEvent(following.show)
  const current = placed.findLast(({ path, step }) => isCurrent(step, states.get(path)))?.path
  useEffect(() => {
    if (chosen !== undefined) show(chosen)
  }, [chosen, height])
  useEffect(() => {
    if (current !== undefined && !moved.current) show(current)
  }, [current, moved])
}

function isCurrent({ steps, type }: StepDescription, state: StepState | undefined): boolean {
  if (steps?.length || !state) return false
  if (state.status === 'error') return type !== 'andTap'
  return state.status === 'running' || state.status === 'suspended'
}
