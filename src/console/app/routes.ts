import type { Route } from '../router/route.ts'

/** The screens, each a chunk of its own. A screen is a component that takes `ScreenProps`. */
export const ROUTES: readonly Route[] = [
  {
    path: 'workflows/:id',
    load: () => import('../screens/workflows/workflow-screen.tsx').then((file) => file.WorkflowScreen),
  },
  {
    path: 'executions',
    load: () => import('../screens/executions/executions-screen.tsx').then((file) => file.ExecutionsScreen),
  },
]
