// Shows a command without the folders of the machine that ran it: its commit is read on others.

const BEFORE_PATH = '(^|[\\s"\'`=:;,|&<>()])'
const PATH_CHARACTERS = '[^\\s"\'`=:;,|&<>()]*'
const ABSOLUTE_PATH = new RegExp(`${BEFORE_PATH}((?:/(?!/)|~\\w*/|\\$\\{?\\w+\\}?/)${PATH_CHARACTERS})`, 'g')

/** Paths in one of the folders become relative to it; of any other absolute path only the last name is left. */
export function hideLocalPaths(command: string, folders: readonly string[]): string {
  const plain = command.replaceAll('file:///', '/')
  return [...folders]
    .map((folder) => folder.replace(/\/+$/, ''))
    .filter((folder) => folder !== '')
    .sort((a, b) => b.length - a.length)
    .reduce(removeFolder, plain)
    .replace(ABSOLUTE_PATH, (_, before: string, path: string) => `${before}${lastName(path)}`)
}

function removeFolder(text: string, folder: string): string {
  const pattern = folder.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&')
  return text
    .replaceAll(new RegExp(`${BEFORE_PATH}${pattern}/+(?=${'[^\\s"\'`=:;,|&<>()]'})`, 'g'), '$1')
    .replaceAll(new RegExp(`${BEFORE_PATH}${pattern}/*(?=$|[\\s"'\`=:;,|&<>()])`, 'g'), '$1.')
}

/** `/dev/null` is the same everywhere. */
function lastName(path: string): string {
  if (path.startsWith('/dev/')) return path
  return path.replace(/\/+$/, '').split('/').at(-1) || path
}
