import { ReactFlow, ReactFlowProvider } from '@xyflow/react'
import '@xyflow/react/dist/base.css'
import { useMemo, useRef } from 'react'
import type { KeyboardEvent } from 'react'
import type { StepDescription } from '../../contract/endpoints/workflow.ts'
import { Icon } from '../ui/icon.tsx'
import { IconButton } from '../ui/controls/button.tsx'
import type { Breakpoints } from '../breakpoints/use-breakpoints.ts'
import { layoutSteps } from './graph-layout.ts'
import { FrameNode, GraphNode } from './graph-node.tsx'
import type { StepStates } from './step-states.ts'
import type { CallRanks, FlatStep } from './step-tree.ts'
import { useEdges, useNodes } from './graph-elements.ts'
import type { ShownNode } from './graph-elements.ts'
import { ZOOM, useFollowActive, useView } from './use-graph-view.ts'

export interface GraphCanvasProps {
  readonly label: string
  readonly steps: readonly StepDescription[]
  readonly ranks: CallRanks | undefined
  readonly placed: readonly FlatStep[]
  readonly states: StepStates
  readonly chosen: string | undefined
  readonly onChoose: (path: string) => void
  readonly breakpoints: Breakpoints | undefined
}

const NODE_TYPES = { step: GraphNode, frame: FrameNode }

/** The graph, loaded as its own chunk. */
export function GraphCanvas(props: GraphCanvasProps) {
  return (
    <ReactFlowProvider>
      <Canvas {...props} />
    </ReactFlowProvider>
  )
}

function Canvas({ label, steps, ranks, placed, states, chosen, onChoose, breakpoints }: GraphCanvasProps) {
  const layout = useMemo(() => layoutSteps(steps, ranks), [steps, ranks])
  const nodes = useNodes(placed, layout, { states, chosen, breakpoints })
  const edges = useEdges(layout, states)
  const moved = useRef(false)
  const view = useView(layout, moved)
  useFollowActive(placed, { states, chosen, moved, show: view.show, height: view.height })
  const onKeyDown = (event: KeyboardEvent) => {
    const run = {
      '+': view.zoomIn,
      '-': view.zoomOut,
      '0': view.fit,
      ArrowUp: () => view.pan(0, 80),
      ArrowDown: () => view.pan(0, -80),
      ArrowLeft: () => view.pan(80, 0),
      ArrowRight: () => view.pan(-80, 0),
    }[event.key]
    if (!run || event.ctrlKey || event.metaKey || event.altKey || event.target !== event.currentTarget) return
    event.preventDefault()
    run()
  }
  return (
    <div
      role="group"
      aria-label={`${label}, graph. The list has the same steps. Arrow keys pan, plus and minus zoom, 0 fits the graph.`}
      tabIndex={0}
      onKeyDown={onKeyDown}
      className="relative size-full outline-offset-[-2px]"
    >
      <div aria-hidden="true" className="size-full">
        <ReactFlow<ShownNode>
          nodes={nodes}
          edges={edges}
          nodeTypes={NODE_TYPES}
          onNodeClick={({ target }, { id, data }) => {
            if (
              breakpoints &&
              'step' in data &&
              target instanceof Element &&
              target.closest('[data-breakpoint]')
            )
              breakpoints.toggle(data.step.id)
            else onChoose(id)
          }}
          onMoveStart={(event) => {
            if (event) moved.current = true
          }}
          minZoom={ZOOM.smallest}
          maxZoom={ZOOM.largest}
          nodesDraggable={false}
          nodesConnectable={false}
          nodesFocusable={false}
          edgesFocusable={false}
          elementsSelectable={false}
          disableKeyboardA11y
          deleteKeyCode={null}
          selectionKeyCode={null}
          multiSelectionKeyCode={null}
          zoomActivationKeyCode={null}
          panActivationKeyCode={null}
          zoomOnDoubleClick={false}
          panOnScroll
          onlyRenderVisibleElements
          proOptions={{ hideAttribution: true }}
        />
      </div>
      <div className="absolute right-2 top-2 z-1 flex rounded-sm border border-line bg-raised">
        <IconButton label="Zoom in" onClick={view.zoomIn}>
          <Icon name="plus" />
        </IconButton>
        <IconButton label="Zoom out" onClick={view.zoomOut}>
          <Icon name="minus" />
        </IconButton>
        <IconButton label="Fit graph" onClick={view.fit}>
          <Icon name="fit" />
        </IconButton>
      </div>
    </div>
  )
}
