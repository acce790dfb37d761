/** The step of an execution that calls models. */
export interface StepPlace {
  readonly executionId: string
  readonly workflowId: string
  /** The pattern of the step's path. */
  readonly step: string
}

/** Of the calls of trials, which belong to no execution: no workflow has the empty id. */
export const TRIAL_PLACE: StepPlace = { executionId: '', workflowId: '', step: 'trial' }
