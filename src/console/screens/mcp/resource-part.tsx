import type { McpResourceContents } from '../../../contract/endpoints/mcp.ts'
import { Button } from '../../ui/controls/button.tsx'
import { CopyButton } from '../../ui/controls/copy-button.tsx'
import { saveFile } from '../../ui/controls/save-file.ts'
import { escapeHidden } from '../../ui/escape-hidden.ts'

type Part = McpResourceContents['contents'][number]

const SHOWN_TEXT = 100_000
const SHOWN_IMAGE = 2_000_000
const IMAGE = /^image\/(?:png|jpeg|gif|webp|avif|bmp|svg\+xml)$/

/** One part of a resource: its text, its picture, or a button to save its bytes. */
export function ResourcePart({ part: { uri, mimeType, text, blob } }: { readonly part: Part }) {
  if (blob === undefined) return <TextPart text={text ?? ''} />
  const isImage = mimeType !== null && IMAGE.test(mimeType) && blob.length <= SHOWN_IMAGE
  return (
    <figure className="flex flex-col items-start gap-2">
      {isImage && (
        <img
          src={`data:${mimeType};base64,${blob}`}
          alt={escapeHidden(uri)}
          className="max-h-80 max-w-full border border-line"
        />
      )}
      <figcaption className="flex items-center gap-2 text-sm text-dim">
        {`${byteCount(blob)} bytes of ${escapeHidden(mimeType ?? 'unknown type')}`}
        <Button size="small" onClick={() => save(uri, blob)}>
          Save
        </Button>
      </figcaption>
    </figure>
  )
}

function TextPart({ text }: { readonly text: string }) {
  return (
    <div className="relative max-w-3xl">
      <pre
        tabIndex={0}
        aria-label="Contents"
        className="max-h-96 overflow-auto whitespace-pre-wrap break-words rounded-sm border border-line bg-raised p-2 pr-10 font-mono text-sm"
      >
        {escapeHidden(text.slice(0, SHOWN_TEXT))}
      </pre>
      <div className="absolute right-1 top-1">
        <CopyButton text={text} />
      </div>
      {text.length > SHOWN_TEXT && (
        <p className="text-dim">{`${text.length - SHOWN_TEXT} more characters`}</p>
      )}
    </div>
  )
}

function byteCount(base64: string): number {
  return Math.floor((base64.replace(/=+$/, '').length * 3) / 4)
}

/** The type is not the server's, so that the browser never opens the file as a page. */
function save(uri: string, base64: string): void {
  const bytes = Uint8Array.from(atob(base64), (character) => character.charCodeAt(0))
  const name = uri.split(/[/\\?#]/).findLast((segment) => segment !== '') ?? 'resource'
  saveFile(name, bytes, 'application/octet-stream')
}
