/** The editor that a person chose in this browser, and the folder of the code on their computer. */
export type StoredEditor = {
  editor: string
  /** An absolute path. `{project}` stands for the slug of the project. */
  folder: string
}

const key = 'editor'

/** The stored choice. Undefined until somebody chose, and without access to the browser's storage. */
export function storedEditor(): StoredEditor | undefined {
  try {
    const { editor, folder } = Object(JSON.parse(localStorage.getItem(key) ?? 'null')) as Partial<StoredEditor>
    return typeof editor === 'string' && typeof folder === 'string' ? { editor, folder } : undefined
  } catch {
    return undefined
  }
}

/** Stores the choice in this browser. Returns false if the browser does not allow it. */
export function storeEditor(choice: StoredEditor): boolean {
  try {
    localStorage.setItem(key, JSON.stringify(choice))
    return true
  } catch {
    return false
  }
}
