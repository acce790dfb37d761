import { CodeBlock } from '../markdown/code-block.tsx'
import { useEditorLink } from '../code/use-editor-link.ts'
import { Button } from '../ui/controls/button.tsx'

/** Where a case was written, and how to run it. */
export function WrittenCase({ path, close }: { readonly path: string; readonly close: () => void }) {
  const link = useEditorLink({ file: path, line: 1, column: 1 })
  return (
    <>
      <p role="status">
        Wrote <code className="break-all font-mono">{path}</code>
      </p>
      <CodeBlock text={`agentserver eval ${path}`} language="bash" />
      <div className="flex items-center justify-end gap-3">
        {link && (
          <a href={link.href} className="text-accent hover:underline">
            Open in {link.name}
          </a>
        )}
        <Button onClick={close}>Close</Button>
      </div>
    </>
  )
}
