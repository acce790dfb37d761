import { LiveStore } from './live-store.ts'

interface Started {
  /** `undefined` before the first start. */
  readonly executionId: string | undefined
}

/** The execution that a component has started last: it is followed on when the component is mounted again. */
export class LastStart extends LiveStore<Started> {
  constructor() {
    super({ executionId: undefined })
  }

  use(executionId: string | undefined): void {
    this.set({ executionId })
  }

  protected override stream(): Promise<void> {
    return Promise.resolve()
  }
}
