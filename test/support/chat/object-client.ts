import { experimental_useObject as useObject } from '@ai-sdk/react'
import { jsonSchema } from 'ai'
import { createElement, useEffect } from 'react'
import { createRoot } from 'react-dom/client'

interface ObjectPage {
  readonly api: string
  /** What the app gives to `submit`. */
  readonly body: { readonly input: string; readonly schema: object }
}

/** What the hook has shown. */
export interface ShownObject {
  /** The objects, in the order in which they were rendered. */
  readonly objects: unknown[]
  readonly error: Error | undefined
  /** What `onFinish` got. */
  readonly finished: { readonly object: unknown; readonly error: Error | undefined } | undefined
}

/** Renders a page with `useObject` as the documentation of the AI SDK shows it, and submits a request. */
export function submitObject(root: Element, { api, body }: ObjectPage): Promise<ShownObject> {
  const objects: unknown[] = []
  return new Promise((resolve) => {
    const page = createRoot(root)
    const end = (error: Error | undefined, finished?: ShownObject['finished']) => {
      setTimeout(() => {
        page.unmount()
        // the scheduler of React ends what it has begun
        setTimeout(() => resolve({ objects, error, finished }), 20)
      })
    }
    function Page() {
      const { object, submit } = useObject({
        api,
        schema: jsonSchema(body.schema) as never,
        onFinish: (finished) => end(undefined, finished),
        onError: (error) => end(error),
      })
      useEffect(() => submit(body), [])
      if (object !== undefined) objects.push(object)
      return createElement('p')
    }
    page.render(createElement(Page))
  })
}
