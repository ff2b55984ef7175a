// `kustomize.buildOptions` of Argo CD's settings: the flags that kustomize is run with. Only those that make it read files
// differently are taken; nothing that would run programs.

export interface BuildOptions {
  readonly arguments: readonly string[]
  readonly enableHelm: boolean
  /** Flags that are not taken. */
  readonly refused: readonly string[]
}

const withValue: ReadonlySet<string> = new Set(['--load-restrictor', '--helm-kube-version', '--helm-api-versions'])
const plain: ReadonlySet<string> = new Set(['--as-current-user=false'])

export function parseBuildOptions(text: string): BuildOptions {
  const taken: string[] = []
  const refused: string[] = []
  let enableHelm = false
  const words = text.split(/\s+/).filter((word) => word !== '')
  for (let index = 0; index < words.length; index++) {
    const word = words[index] ?? ''
    const [flag = '', value] = word.split('=', 2)
    if (flag === '--enable-helm') enableHelm = value === undefined || value === 'true'
    else if (plain.has(word)) continue
    else if (withValue.has(flag)) {
      const given = value ?? words[++index] ?? ''
      taken.push(`${flag}=${given}`)
    } else refused.push(word)
  }
  return { arguments: taken, enableHelm, refused }
}
