import { defaultKeymap, history, historyKeymap, indentWithTab } from '@codemirror/commands'
import { json, jsonParseLinter } from '@codemirror/lang-json'
import {
  HighlightStyle,
  bracketMatching,
  foldGutter,
  foldKeymap,
  indentOnInput,
  syntaxHighlighting,
} from '@codemirror/language'
import { linter } from '@codemirror/lint'
import { EditorState } from '@codemirror/state'
import { EditorView, drawSelection, keymap } from '@codemirror/view'
import { tags } from '@lezer/highlight'

export interface JsonEditorOptions {
  readonly label: string
  readonly value: string
  readonly onChange: (value: string) => void
  readonly onSubmit: () => void
}

export interface JsonEditorView {
  /** Replaces the text, if it differs. */
  show(value: string): void
  destroy(): void
}

const COLOURS = HighlightStyle.define([
  { tag: tags.propertyName, color: 'var(--color-text)' },
  { tag: tags.string, color: 'var(--color-ok)' },
  { tag: [tags.number, tags.bool, tags.null], color: 'var(--color-running)' },
])

const LOOK = EditorView.theme({
  '&': { fontSize: 'var(--text-sm)', backgroundColor: 'transparent', color: 'var(--color-text)' },
  '&.cm-focused': { outline: '2px solid var(--color-accent)' },
  '.cm-content': { fontFamily: 'var(--font-mono)', caretColor: 'var(--color-text)' },
  '.cm-cursor': { borderLeftColor: 'var(--color-text)' },
  '.cm-gutters': { backgroundColor: 'transparent', color: 'var(--color-dim)', border: 'none' },
  '&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground': {
    backgroundColor: 'var(--color-chosen)',
  },
  '.cm-tooltip, .cm-panels': {
    backgroundColor: 'var(--color-raised)',
    color: 'var(--color-text)',
    border: '1px solid var(--color-line-strong)',
  },
})

/**
 * Creates the editor in a shadow root: there its styles are adopted style sheets, which a strict
 * Content-Security-Policy allows, unlike style elements of the document.
 */
export function createJsonEditor(host: HTMLElement, options: JsonEditorOptions): JsonEditorView {
  const { label, value, onChange, onSubmit } = options
  const root = host.shadowRoot ?? host.attachShadow({ mode: 'open' })
  const submit = {
    key: 'Mod-Enter',
    run: () => {
      onSubmit()
      return true
    },
  }
  const view = new EditorView({
    root,
    parent: root,
    state: EditorState.create({
      doc: value,
      extensions: [
        keymap.of([submit, ...defaultKeymap, ...historyKeymap, ...foldKeymap, indentWithTab]),
        history(),
        drawSelection(),
        foldGutter(),
        indentOnInput(),
        bracketMatching(),
        json(),
        linter((editor) => (editor.state.doc.length === 0 ? [] : jsonParseLinter()(editor))),
        syntaxHighlighting(COLOURS),
        LOOK,
        EditorView.lineWrapping,
        EditorView.contentAttributes.of({ 'aria-label': label }),
        EditorView.updateListener.of((update) => {
          if (update.docChanged) onChange(update.state.doc.toString())
        }),
      ],
    }),
  })
  return {
    show: (text) => {
      const shown = view.state.doc.toString()
      if (shown !== text) view.dispatch({ changes: { from: 0, to: shown.length, insert: text } })
    },
    destroy: () => view.destroy(),
  }
}
